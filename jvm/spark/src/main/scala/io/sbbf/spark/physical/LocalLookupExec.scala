package io.sbbf.spark.physical

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{FileSourceScanExec, SQLExecution, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.files.{PrunedFileIndex, SourceFormat}

/**
 * Runs its child in the calling thread instead of in a job, if pruning left very little to read.
 *
 * Guaranteed: the rows, their order and the metrics are those of the child. The child runs as a
 * job if more than two row groups, a million rows or 8 MiB survive, if the result takes more than
 * 8 MiB, or if the run in this thread fails: the job then reports the error. Whatever needs an RDD
 * gets the child's.
 */
private[spark] final case class LocalLookupExec(child: SparkPlan) extends UnaryExecNode {
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

  /**
   * Returns the first rows of the child, None if it must run as a job. Threads that run one query
   * wait for each other, because expressions may have state.
   */
  private def rows(most: Int): Option[Array[InternalRow]] = synchronized {
    if (TaskContext.get() != null || !isSmall) None
    else {
      val rdd = child.execute() // lists the files again
      if (!isSmall || rdd.getNumPartitions > MostRowGroups) None
      else {
        val found = run(rdd, most)
        if (found.isDefined) postMetrics() else metricsOfTasks.foreach(_.reset())
        found
      }
    }
  }

  private def scans: Seq[FileSourceScanExec] = child.collect { case scan: FileSourceScanExec =>
    scan
  }

  private def isSmall: Boolean = scans.forall { scan =>
    scan.relation.location match {
      case index: PrunedFileIndex =>
        val isTrimmed = SourceFormat.isTrimmed(scan.relation.fileFormat)
        index.selection.exists(isSmall(_, isTrimmed))
      case _ => false
    }
  }

  /** @param isTrimmed whether tasks read only the row groups that are kept of a file */
  private def isSmall(found: ScanPruning, isTrimmed: Boolean): Boolean =
    found.keptRowGroups <= MostRowGroups && found.rows.exists(_ <= MostRows) &&
      (if (isTrimmed) found.keptBytes else found.keptFilesBytes) <= MostBytes

  private def run(rdd: RDD[InternalRow], most: Int): Option[Array[InternalRow]] =
    try
      SparkInternals.withTask { task =>
        collect(rdd.partitions.iterator.flatMap(rdd.iterator(_, task)).take(most))
      }
    catch {
      case RecoverableError(e) =>
        logDebug("Running a lookup without a job failed, so it runs as a job", e)
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

  /** The metrics that tasks would send. A scan sends those of the driver by itself. */
  private def metricsOfTasks: Seq[SQLMetric] = child.collect {
    case scan: FileSourceScanExec => (scan.metrics -- scan.driverMetrics.keys).values
    case node => node.metrics.values
  }.flatten

  private def postMetrics(): Unit =
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      metricsOfTasks)
}

private object LocalLookupExec {
  private val MostRowGroups = 2
  private val MostRows = 1000000L
  private val MostBytes = 8L << 20
}
