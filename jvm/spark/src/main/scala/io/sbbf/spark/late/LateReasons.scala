package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.FileSourceScanExec

/** Remembers at a scan node why keys that its query found did not prune it. */
private[spark] object LateReasons {
  private val Tag = TreeNodeTag[Seq[String]]("io.sbbf.spark.late.LateReasons")

  def set(scan: FileSourceScanExec, reasons: Seq[String]): Unit =
    scan.setTagValue(Tag, reasons.distinct)

  /** Returns whether the keys of its query were applied to the scan, or to the scan it copies. */
  def areKnown(scan: FileSourceScanExec): Boolean = scan.getTagValue(Tag).nonEmpty

  def of(scan: FileSourceScanExec): Seq[String] = scan.getTagValue(Tag).getOrElse(Nil)
}
