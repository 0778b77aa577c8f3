package io.sbbf.spark.late

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Returns the rows of a scan, and makes adaptive execution run it after a side of a join above it:
 * a stage starts when all stages that its plan reads are finished. [[PruneByLateKeys]] then prunes
 * the scan by that side's keys, and removes this node.
 *
 * @param left the scan
 * @param right the side, as the join reads it; never executed by this node. Adaptive execution looks for
 *              a stage's place by the first node of its logical plan, so nothing of the side may be missing
 * @param keys keys of the join over the scan's output
 * @param others all keys of the join over the output of `right`
 * @param numbers which of `others` equals each of `keys`
 * @param isOfJoin whether `right` has the very stages that the join reads. If not, another run of the same
 *                 plan might have other rows, so its keys prune nothing
 */
private[spark] final case class AwaitKeysExec(
    left: SparkPlan,
    right: SparkPlan,
    keys: Seq[Expression],
    others: Seq[Expression],
    numbers: Seq[Int],
    isOfJoin: Boolean)
    extends BinaryExecNode {
  override def output: Seq[Attribute] = left.output
  override def outputPartitioning: Partitioning = left.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = left.outputOrdering
  override def supportsColumnar: Boolean = left.supportsColumnar
  override def supportsRowBased: Boolean = left.supportsRowBased
  override def vectorTypes: Option[Seq[String]] = left.vectorTypes
  override protected def doExecute(): RDD[InternalRow] = left.execute()
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = left.executeColumnar()

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): SparkPlan = copy(left = newLeft, right = newRight)
}
