package io.sbbf.spark.physical

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.{Interruption, RecoverableError}
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.files.{PrunedFileIndex, SourceFormat}
import io.sbbf.spark.pages.{PageReads, SelectsRows}

/**
 * Reads a scan, and filters and projects its rows, in the calling thread instead of in a job, if pruning
 * left very little to read.
 *
 * Guaranteed: the rows and their order are those of the child, and so are the metrics, except the
 * duration of compiled code. The child runs as a job if more than 2 row groups survive. It does so if
 * they have more than 100,000 rows or 8 MiB, unless a lookup can choose pages and its columns take at
 * most 16 MiB. It also does so if the result takes more than 8 MiB, or if the run in this thread fails:
 * the job then reports the error. Whatever needs an RDD gets the child's.
 *
 * @param child filters and projections over one scan
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

  /** Equals the child: Spark also prepares plans that it then broadcasts, and reuses equal broadcasts. */
  override protected def doCanonicalize(): SparkPlan = child.canonicalized

  override protected def withNewChildInternal(newChild: SparkPlan): LocalLookupExec =
    copy(child = newChild)

  /**
   * Returns the first rows of the child, None if it must run as a job. Threads that run one query
   * wait for each other, because expressions may have state.
   */
  private def rows(most: Int): Option[Array[InternalRow]] = synchronized {
    for {
      scan <- child.collectFirst { case scan: FileSourceScanExec => scan }
      if TaskContext.get() == null && reportsErrors(scan) && isSmall(scan)
      read <- Some(
        (if (scan.supportsColumnar) scan.executeColumnar() else scan.execute())
          .asInstanceOf[RDD[Any]])
      // the scan has listed its files again
      if isSmall(scan) && read.getNumPartitions <= MostRowGroups
      result <- run(scan, read, most)
    } yield result
  }

  /** Returns whether errors of reading stop the read. Some errors are of this thread alone. */
  private def reportsErrors(scan: FileSourceScanExec): Boolean = {
    val options = new FileSourceOptions(scan.relation.options)
    !options.ignoreCorruptFiles && !options.ignoreMissingFiles
  }

  private def isSmall(scan: FileSourceScanExec): Boolean =
    try indexOf(scan).flatMap(_.selection).exists(isSmall(scan, _))
    catch { case RecoverableError(_) => false }

  private def indexOf(scan: FileSourceScanExec): Option[PrunedFileIndex] =
    Option(scan.relation.location).collect { case index: PrunedFileIndex => index }

  private def isSmall(scan: FileSourceScanExec, pruning: ScanPruning): Boolean =
    pruning.keptRowGroups <= MostRowGroups && pruning.rows.exists { rows =>
      val files = scan.relation
      val filter = files.fileFormat match {
        case format: SelectsRows =>
          format.rowFilter(scan.requiredSchema, files.dataSchema, files.partitionSchema, conf)
        case _ => None
      }
      filter match {
        case Some(lookup) if lookup.isLookup => // reads the pages with its rows of other columns
          lookup.schema.map(_.dataType.defaultSize.toLong).sum * rows <= PageReads.MostKeyBytes
        case _ =>
          val bytes =
            if (SourceFormat.isTrimmed(files.fileFormat)) pruning.keptBytes
            else pruning.keptFilesBytes
          rows <= MostRows && bytes <= PageReads.MostBytes
      }
    }

  private def run(
      scan: FileSourceScanExec,
      read: RDD[Any],
      most: Int): Option[Array[InternalRow]] = {
    val result =
      try
        SparkInternals.withTask { task =>
          val rows = read.partitions.iterator.flatMap { partition =>
            InterpretedPlan.rows(child, partition.index, read.iterator(partition, task))
          }
          PageReads.withLimits(collect(rows.take(most)))
        }
      catch {
        case e: Exception if Interruption.is(e) =>
          Thread.currentThread.interrupt() // the wait for the job then ends as in Spark alone
          None
        case RecoverableError.OfFile(e) =>
          logDebug("Running a lookup without a job failed, so it runs as a job", e)
          None
      }
    if (result.isDefined) postMetrics(scan) else metricsOfTasks(scan).foreach(_.reset())
    result
  }

  private def collect(rows: Iterator[InternalRow]): Option[Array[InternalRow]] = {
    val copies = ArrayBuffer.empty[InternalRow]
    var bytes = 0L
    def isInterrupted = Thread.currentThread.isInterrupted
    while (bytes <= MostResultBytes && !isInterrupted && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      copies += row.copy()
      bytes += row.getSizeInBytes
    }
    if (bytes <= MostResultBytes && !isInterrupted) Some(copies.toArray) else None
  }

  /** The metrics that tasks would send. A scan sends those of the driver by itself. */
  private def metricsOfTasks(scan: FileSourceScanExec): Iterable[SQLMetric] =
    child.collect {
      case `scan` =>
        (scan.metrics -- scan.driverMetrics.keys).values ++
          indexOf(scan).toSeq.flatMap(_.metrics(sparkContext).ofPages.all)
      case node => node.metrics.values
    }.flatten

  private def postMetrics(scan: FileSourceScanExec): Unit =
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      metricsOfTasks(scan).toSeq)
}

private object LocalLookupExec {
  private val MostRowGroups = 2

  /** The filter is interpreted, so more rows take longer than a job. */
  private val MostRows = 100000L
  private val MostResultBytes = 8L << 20
}
