package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/** Remembers at a scan node why keys that its query found did not prune it. */
private[spark] object LateReasons {
  private val Tag = TreeNodeTag[Seq[String]]("io.sbbf.spark.late.LateReasons")
  private val OfJoins = TreeNodeTag[Seq[String]]("io.sbbf.spark.late.LateReasons.OfJoins")

  /** Stores why the scan does not wait for the keys of joins in later stages. */
  def setOfJoins(scan: SparkPlan, reasons: Seq[String]): Unit =
    scan.setTagValue(OfJoins, reasons.distinct)

  def set(scan: SparkPlan, reasons: Seq[String]): Unit =
    scan.setTagValue(Tag, reasons.distinct)

  /** Returns whether the keys of its query were applied to the scan, or to the scan it copies. */
  def areKnown(scan: SparkPlan): Boolean = scan.getTagValue(Tag).nonEmpty

  def of(scan: SparkPlan): Seq[String] =
    Seq(Tag, OfJoins).flatMap(scan.getTagValue(_).getOrElse(Nil)).distinct
}
