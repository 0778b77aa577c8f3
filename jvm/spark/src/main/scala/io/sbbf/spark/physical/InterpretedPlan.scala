package io.sbbf.spark.physical

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.sbbf.spark.column.UserFunctions

/**
 * Filters and projections over one scan, evaluated without compiling the filter: Spark would compile its
 * code for each new key, which takes longer than a few rows.
 */
private[physical] object InterpretedPlan {

  /**
   * Returns whether [[rows]] can run a plan, if Spark does not change its nodes. Functions of users run
   * in jobs, because each task has its own copy, and so do functions of lambda variables, which hold
   * their values. Subqueries do, because only a node that runs waits for their results.
   */
  def canRun(plan: SparkPlan, isScan: FileSourceScanExec => Boolean): Boolean = plan match {
    case ProjectExec(columns, child) => columns.forall(canRun(_)) && canRun(child, isScan)
    case FilterExec(condition, child) => canRun(condition) && canRun(child, isScan)
    case ColumnarToRowExec(child) => canRun(child, isScan)
    case scan: FileSourceScanExec => isScan(scan)
    case _ => false
  }

  private def canRun(expression: Expression): Boolean =
    !UserFunctions.areIn(expression) && !expression.exists {
      case _: PlanExpression[_] | _: NamedLambdaVariable => true
      case _ => false
    }

  /**
   * Returns the rows of a plan, and counts those of each node in its metrics.
   *
   * @param read the rows or batches of a partition that the scan reads
   * @throws IllegalArgumentException if the plan has another node
   */
  def rows(plan: SparkPlan, partition: Int, read: Iterator[Any]): Iterator[InternalRow] =
    plan match {
      case WholeStageCodegenExec(child) => rows(child, partition, read)
      case InputAdapter(child) => rows(child, partition, read)
      case ProjectExec(columns, child) =>
        val projection = UnsafeProjection.create(columns, child.output)
        projection.initialize(partition)
        rows(child, partition, read).map(projection)
      case FilterExec(condition, child) =>
        val predicate =
          Predicate.createInterpreted(BindReferences.bindReference(condition, child.output))
        predicate.initialize(partition)
        counted(plan, rows(child, partition, read).filter(predicate.eval))
      case _: ColumnarToRowExec =>
        // interpreted expressions take a NULL in a field of a columnar row for a value
        val toUnsafe = UnsafeProjection.create(plan.output, plan.output)
        counted(
          plan,
          read.asInstanceOf[Iterator[ColumnarBatch]].flatMap { batch =>
            plan.longMetric("numInputBatches") += 1
            batch.rowIterator.asScala.map(toUnsafe)
          })
      case _: FileSourceScanExec => read.asInstanceOf[Iterator[InternalRow]]
      case other => throw new IllegalArgumentException(s"a plan with ${other.nodeName}")
    }

  private def counted(node: SparkPlan, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val count = node.longMetric("numOutputRows")
    rows.map { row =>
      count += 1
      row
    }
  }
}
