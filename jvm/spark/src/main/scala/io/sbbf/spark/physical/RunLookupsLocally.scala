package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{
  CollectLimitExec,
  ColumnarToRowExec,
  FileSourceScanExec,
  FilterExec,
  ProjectExec,
  SparkPlan
}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.scan.PrunedFileIndex
import io.sbbf.spark.util.SbbfConf

/**
 * Lets a query that only filters and projects one pruned scan run without a job, by
 * [[LocalLookupExec]], if `spark.sbbf.localLookup.enabled` is true. Other plans stay as they are.
 */
private[spark] object RunLookupsLocally extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SbbfConf.LocalLookup.get(SQLConf.get)) plan
    else
      plan match {
        case limit: CollectLimitExec => limit.withNewChildren(Seq(local(limit.child)))
        case other => local(other)
      }

  private def local(plan: SparkPlan): SparkPlan =
    scanned(plan).fold(plan)(new LocalLookupExec(plan, _))

  private def scanned(plan: SparkPlan): Option[PrunedFileIndex] = plan match {
    case ProjectExec(_, child) => scanned(child)
    case FilterExec(_, child) => scanned(child)
    case ColumnarToRowExec(child) => scanned(child)
    case scan: FileSourceScanExec =>
      Some(scan.relation.location).collect { case index: PrunedFileIndex => index }
    case _ => None
  }
}
