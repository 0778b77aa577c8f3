package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/** Remembers at a scan node what the keys that its query found did to it, and why they did no more. */
private[spark] object LateReasons {
  private val Tag = TreeNodeTag[Seq[String]]("io.sbbf.spark.late.LateReasons")
  private val OfJoins = TreeNodeTag[Seq[String]]("io.sbbf.spark.late.LateReasons.OfJoins")

  private val Result =
    TreeNodeTag[(SparkPlan, SparkPlan)]("io.sbbf.spark.late.LateReasons.Result")

  /** Stores what replaces the scan. */
  def setResult(scan: SparkPlan, result: SparkPlan): Unit =
    scan.setTagValue(Result, (scan, result))

  /**
   * Returns what replaces the scan. A plan may hold the scan in several places, whose stages have to stay
   * equal. A copy of the scan may differ from it, so it stays.
   */
  def result(scan: SparkPlan): SparkPlan =
    scan.getTagValue(Result).collect { case (of, result) if of eq scan => result }.getOrElse(scan)

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
