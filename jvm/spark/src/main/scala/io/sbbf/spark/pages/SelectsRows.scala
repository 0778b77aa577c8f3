package io.sbbf.spark.pages

import org.apache.spark.sql.internal.SQLConf

/** A format whose tasks choose rows by the filter of a scan. */
private[spark] trait SelectsRows {

  /** Returns the filter by which tasks choose rows of a scan, None if they read all of its row groups. */
  def rowFilter(scan: FileRead, conf: SQLConf): Option[RowFilter]
}
