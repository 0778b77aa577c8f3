package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.execution.adaptive.{
  AdaptiveSparkPlanExec,
  AdaptiveSparkPlanHelper,
  QueryStageExec
}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.execution.joins.{
  BroadcastHashJoinExec,
  ShuffledHashJoinExec,
  SortMergeJoinExec
}
import org.apache.spark.sql.execution.{LeafExecNode, QueryExecution, SparkPlan}

import io.sbbf.parquet.model.RecoverableError

/** Finds what late keys did to the scans of a query, which shows only in its physical plan. */
private[spark] final class LateScans(query: QueryExecution) extends AdaptiveSparkPlanHelper {
  import LateScans._

  /** None if Spark cannot plan the query, which does not concern its report. */
  private val plan: Option[SparkPlan] =
    try Some(query.executedPlan)
    catch { case RecoverableError(_) => None }

  private val leaves: Seq[SparkPlan] =
    plan.toSeq.flatMap(collectWithSubqueries(_) {
      case leaf: LeafExecNode if !isExchange(leaf) => leaf
    })

  /** Returns the nodes that read the scan with this output. */
  def reading(output: AttributeSet): Seq[SparkPlan] =
    leaves.filter(_.output.exists(output.contains))

  /** Returns why keys of joins and subqueries did not narrow the scan with this output. */
  def reasons(output: AttributeSet): Seq[String] =
    reading(output).flatMap(scan => LateReasons.of(scan) ++ joinsAbove(scan)).distinct

  /** Returns a reason for each join above a scan whose keys the rule has not seen. */
  private def joinsAbove(scan: SparkPlan): Seq[String] =
    plan.toSeq.flatMap(collectWithSubqueries(_) {
      case join: SortMergeJoinExec if isUnder(join, scan) => shuffled(join.leftKeys)
      case join: ShuffledHashJoinExec if isUnder(join, scan) => shuffled(join.leftKeys)
      case join: BroadcastHashJoinExec
          if whyNoKeys.nonEmpty && isUnder(JoinKey.streamedSide(join), scan) =>
        whyNoKeys.get
    })

  private def isUnder(join: SparkPlan, scan: SparkPlan): Boolean =
    collect(join) { case found if found eq scan => found }.nonEmpty

  /** The reason why no broadcast join has pruned, unless the query has run adaptively. */
  private val whyNoKeys: Option[String] =
    plan.flatMap(_.find(_.isInstanceOf[AdaptiveSparkPlanExec])) match {
      case Some(adaptive) =>
        // only the text shows whether the plan is final
        if (adaptive.simpleString(100).contains("isFinalPlan=true")) None else Some(NotRun)
      case _ => Some(NotAdaptive)
    }
}

private[spark] object LateScans {
  private val NotRun = "keys of joins are known only when the query has run"
  private val NotAdaptive =
    "keys of joins are not used: the query runs without adaptive execution"

  /** Returns whether a leaf shows the output of another plan. */
  private def isExchange(leaf: LeafExecNode): Boolean = leaf match {
    case _: QueryStageExec | _: ReusedExchangeExec => true
    case _ => false
  }

  private def shuffled(keys: Seq[Expression]): String = {
    val names = keys.flatMap(_.references.map(_.name)).distinct.mkString(", ")
    s"keys of a shuffle join on $names are not known before the scan"
  }
}
