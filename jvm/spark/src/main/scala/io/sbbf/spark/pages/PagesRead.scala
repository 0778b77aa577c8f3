package io.sbbf.spark.pages

/** What tasks have read and left out of the row groups in which they chose pages. */
private[spark] final case class PagesRead(read: Long, skipped: Long, skippedRows: Long)

private[spark] object PagesRead {
  val Nothing: PagesRead = PagesRead(0, 0, 0)
}
