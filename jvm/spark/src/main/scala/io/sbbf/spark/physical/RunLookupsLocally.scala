package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UserDefinedExpression}
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
import org.apache.spark.sql.types.ObjectType

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.util.SbbfConf

/**
 * Lets a query that only filters and projects one pruned scan run without a job, by
 * [[LocalLookupExec]]. Other plans, and plans with functions of users, stay as they are. Needs
 * `spark.sbbf.localLookup.enabled`.
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
    if (isLookup(plan) && !plan.supportsColumnar) LocalLookupExec(plan) else plan

  private def isLookup(plan: SparkPlan): Boolean = plan match {
    case ProjectExec(columns, child) => columns.forall(isOfSpark) && isLookup(child)
    case FilterExec(condition, child) => isOfSpark(condition) && isLookup(child)
    case ColumnarToRowExec(child) => isLookup(child)
    case scan: FileSourceScanExec => scan.relation.location.isInstanceOf[PrunedFileIndex]
    case _ => false
  }

  /** Each task has its own copy of a user's function, and what it shares with others is not known. */
  private def isOfSpark(expression: Expression): Boolean = !expression.exists {
    case _: UserDefinedExpression => true
    case constant: Literal => constant.dataType.isInstanceOf[ObjectType] // as of Dataset.filter
    case call: StaticInvoke => !call.staticObject.getName.startsWith("org.apache.spark.")
    case _ => false
  }
}
