package io.sbbf.spark.physical

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.{Interruption, RecoverableError}
import io.sbbf.spark.scan.PrunedFileIndex
import io.sbbf.spark.util.LogOnce

/**
 * Runs its child in the calling thread instead of in a job, if pruning left very little to read.
 *
 * Guaranteed: the rows, their order and the metrics are those of the child. The child runs as a
 * job if more than two row groups or 8 MiB of them survive, if the result takes more than 8 MiB, or
 * if the run in this thread fails: the job then reports the error. Whatever needs an RDD gets the
 * child's.
 */
private[spark] final case class LocalLookupExec(child: SparkPlan, index: PrunedFileIndex)
    extends UnaryExecNode {
  import LocalLookupExec._

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def executeCollect(): Array[InternalRow] =
    rows(Int.MaxValue).getOrElse(child.executeCollect())

  override def executeTake(n: Int): Array[InternalRow] = rows(n).getOrElse(child.executeTake(n))

  override def executeToIterator(): Iterator[InternalRow] =
    rows(Int.MaxValue).fold(child.executeToIterator())(_.iterator)

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): LocalLookupExec =
    copy(child = newChild)

  /** Returns the first rows of the child, None if it must run as a job. */
  private def rows(most: Int): Option[Array[InternalRow]] =
    if (TaskContext.get() != null) None
    else {
      val rdd = child.execute() // lists the files
      val found = if (isSmall(rdd)) run(rdd, most) else None
      if (found.isDefined) postMetrics() else child.foreach(_.resetMetrics())
      found
    }

  private def isSmall(rdd: RDD[InternalRow]): Boolean = index.selection.exists { found =>
    found.outcomes.forall(_.isKnown) && found.keptRowGroups <= MostRowGroups &&
    found.keptBytes <= MostBytes && rdd.getNumPartitions <= MostRowGroups
  }

  private def run(rdd: RDD[InternalRow], most: Int): Option[Array[InternalRow]] =
    try
      SparkInternals.withTask { task =>
        collect(rdd.partitions.iterator.flatMap(rdd.iterator(_, task)).take(most))
      }
    catch {
      case RecoverableError(e) if !Interruption.is(e) =>
        LogOnce.once(
          s"local lookup: ${e.getClass.getName}",
          "running a lookup without a job failed, so it runs as a job",
          e)
        None
    }

  private def collect(some: Iterator[InternalRow]): Option[Array[InternalRow]] = {
    val copies = ArrayBuffer.empty[InternalRow]
    var bytes = 0L
    while (bytes <= MostBytes && some.hasNext) some.next() match {
      case row: UnsafeRow =>
        copies += row.copy()
        bytes += row.getSizeInBytes
      case other =>
        throw new IllegalStateException(
          s"expected a row in Spark's binary format, got ${other.getClass}")
    }
    if (bytes <= MostBytes) Some(copies.toArray) else None
  }

  /** Reports the metrics as those of the driver: no task sends them. */
  private def postMetrics(): Unit =
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      child.collect { case node => node.metrics.values }.flatten)
}

private[spark] object LocalLookupExec {
  private val MostRowGroups = 2
  private val MostBytes = 8L << 20
}
