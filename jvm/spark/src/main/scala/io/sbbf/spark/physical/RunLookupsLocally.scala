package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.expressions.{Expression, PlanExpression}
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

import io.sbbf.spark.column.UserFunctions
import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.util.SbbfConf

/**
 * Lets a query that only filters and projects one pruned scan run without a job, by
 * [[LocalLookupExec]]. Other plans, and plans with functions of users or subqueries, whose results only
 * a node that runs waits for, stay as they are. So do all plans where native engines shall read the files, which look for Spark's own nodes.
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

  private def isLookup(plan: SparkPlan): Boolean = plan match {
    case ProjectExec(columns, child) => columns.forall(canRunHere) && isLookup(child)
    case FilterExec(condition, child) => canRunHere(condition) && isLookup(child)
    case ColumnarToRowExec(child) => isLookup(child)
    case scan: FileSourceScanExec => scan.relation.location.isInstanceOf[PrunedFileIndex]
    case _ => false
  }

  private def canRunHere(expression: Expression): Boolean =
    !UserFunctions.areIn(expression) && !expression.exists(_.isInstanceOf[PlanExpression[_]])
}
