package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.adaptive.{
  AdaptiveSparkPlanExec,
  AdaptiveSparkPlanHelper,
  LogicalQueryStage,
  QueryStageExec
}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastHashJoinExec, ShuffledJoin}
import org.apache.spark.sql.execution.{LeafExecNode, QueryExecution, SparkPlan}

import io.sbbf.parquet.model.RecoverableError

/** Finds what late keys did to the scans of a query, which shows only in its physical plan. */
private[spark] final class LateScans(query: QueryExecution) extends AdaptiveSparkPlanHelper {
  import LateScans._

  /** None if Spark cannot plan the query, which does not concern its report. */
  private val plan: Option[SparkPlan] =
    try Some(query.executedPlan)
    catch { case RecoverableError(_) => None }

  private val leaves: Seq[SparkPlan] = plan.toSeq.flatMap(leavesOf)

  private def leavesOf(root: SparkPlan): Seq[SparkPlan] =
    collectWithSubqueries(root) { case leaf: LeafExecNode if !isExchange(leaf) => leaf }
      .flatMap(leaf => leaf +: stagesBehind(leaf).flatMap(leavesOf))

  /** Returns the stages that have run below a node that adaptive execution has found to be empty. */
  private def stagesBehind(leaf: TreeNode[_]): Seq[SparkPlan] =
    leaf.productIterator.toSeq.collect { case empty: LogicalPlan =>
      empty.collect {
        case stage: LogicalQueryStage => Seq(stage.physicalPlan)
        case leaf: LeafNode => stagesBehind(leaf)
      }.flatten
    }.flatten

  /** Returns the nodes that read the scan with this output. */
  def reading(output: AttributeSet): Seq[SparkPlan] =
    leaves.filter(_.output.exists(output.contains))

  /** Returns why keys of joins and subqueries did not narrow the scan with this output. */
  def reasons(output: AttributeSet): Seq[String] =
    reading(output).flatMap(scan => LateReasons.of(scan) ++ joinsAbove(scan)).distinct

  /** Returns why no join above a scan has pruned it, if there is one that could. */
  private def joinsAbove(scan: SparkPlan): Seq[String] =
    whyNoKeys.toSeq.filter(_ =>
      plan.exists(collectWithSubqueries(_) {
        case join: ShuffledJoin => prunable(join).exists(isUnder(_, scan))
        case join: BroadcastHashJoinExec => isUnder(streamedSide(join), scan)
      }.contains(true)))

  /** Returns why keys could not prune a large scan that Spark has broadcast, if they could otherwise. */
  def broadcasts(output: AttributeSet): Option[String] = {
    val joins =
      plan.toSeq.flatMap(collectWithSubqueries(_) { case join: BroadcastHashJoinExec => join })
    def isBroadcast(scan: SparkPlan) = joins.exists(join =>
      !prunable(join).contains(streamedSide(join)) && prunable(join).exists(isUnder(_, scan)) &&
        AwaitJoinKeys.isSmaller(streamedSide(join), scan))
    if (reading(output).exists(isBroadcast)) Some(Broadcast) else None
  }

  private def isUnder(join: SparkPlan, scan: SparkPlan): Boolean =
    collect(join) { case found if found eq scan => found }.nonEmpty

  /** The reason why no join has pruned, unless the query has run adaptively. */
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
  private val Broadcast =
    "keys of a join: Spark broadcasts this side, so it is read before the keys are known " +
      "(spark.sql.autoBroadcastJoinThreshold)"
  private val NotAdaptive =
    "keys of joins are not used: the query runs without adaptive execution"

  /** Returns whether a leaf shows the output of another plan. */
  private def isExchange(leaf: LeafExecNode): Boolean = leaf match {
    case _: QueryStageExec | _: ReusedExchangeExec => true
    case _ => false
  }

  private def prunable(join: BaseJoinExec): Seq[SparkPlan] = {
    val sides = PrunableSides.of(join.joinType)
    Seq(join.left).filter(_ => sides.left) ++ Seq(join.right).filter(_ => sides.right)
  }

  /** Returns the side of a join whose rows are looked up in the hash table of the other side. */
  private def streamedSide(join: BroadcastHashJoinExec): SparkPlan =
    if (join.buildSide == BuildRight) join.left else join.right
}
