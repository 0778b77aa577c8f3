package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CollectLimitExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.util.SbbfConf

/**
 * Runs a query that only filters and projects one pruned scan without a job, by [[LocalLookupExec]].
 * With `spark.sbbf.rowGroupPruning.enabled=false` all plans stay as they are: native engines look for
 * Spark's own nodes.
 */
private[spark] object RunLookupsLocally extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SbbfConf.LocalLookup.get(SQLConf.get) || !SbbfConf.RowGroupPruning.get(SQLConf.get)) plan
    else
      plan match {
        case limit: CollectLimitExec => limit.withNewChildren(Seq(local(limit.child)))
        case other => local(other)
      }

  private def local(plan: SparkPlan): SparkPlan =
    if (isLookup(plan) && !plan.supportsColumnar) LocalLookupExec(plan) else plan

  private def isLookup(plan: SparkPlan): Boolean =
    InterpretedPlan.canRun(plan, _.relation.location.isInstanceOf[PrunedFileIndex])
}
