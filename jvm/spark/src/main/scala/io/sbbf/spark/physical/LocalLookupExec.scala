package io.sbbf.spark.physical

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.files.{PrunedFileIndex, SourceFormat}
import io.sbbf.spark.pages.{FileRead, PageReads, SelectsRows}

/**
 * Reads a scan, and filters and projects its rows, in the calling thread instead of in a job, if pruning
 * left very little to read. No code is generated for the query, as few rows would run it.
 *
 * Guaranteed: the rows, their order and the metrics are those of the child. The child runs as a
 * job if more than two row groups or too many rows or bytes survive, if the result takes more than
 * 8 MiB, or if the run in this thread fails: the job then reports the error. Whatever needs an RDD
 * gets the child's.
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
    child.collectFirst { case scan: FileSourceScanExec => scan }.filter { scan =>
      TaskContext.get() == null && isSmall(scan)
    } match {
      case None => None
      case Some(scan) =>
        val batches = // lists the files again
          (if (scan.supportsColumnar) scan.executeColumnar() else scan.execute())
            .asInstanceOf[RDD[Any]]
        if (!isSmall(scan) || batches.getNumPartitions > MostRowGroups) None
        else {
          val first = run(batches, most)
          if (first.isDefined) postMetrics(scan) else metricsOfTasks(scan).foreach(_.reset())
          first
        }
    }
  }

  private def isSmall(scan: FileSourceScanExec): Boolean = scan.relation.location match {
    case index: PrunedFileIndex => index.selection.exists(isSmall(scan, _))
    case _ => false
  }

  private def isSmall(scan: FileSourceScanExec, found: ScanPruning): Boolean =
    found.keptRowGroups <= MostRowGroups && found.rows.exists { rows =>
      val files = scan.relation
      def read = FileRead(
        scan.requiredSchema,
        files.dataSchema,
        files.partitionSchema,
        pushed = Nil,
        options = Map.empty,
        new Configuration(false))
      val filter = files.fileFormat match {
        case format: SelectsRows => format.rowFilter(read, conf)
        case _ => None
      }
      filter match {
        case Some(lookup) if lookup.isLookup => // reads the pages with its rows of other columns
          lookup.schema.map(_.dataType.defaultSize.toLong).sum * rows <= MostKeyBytes
        case _ =>
          val bytes =
            if (SourceFormat.isTrimmed(files.fileFormat)) found.keptBytes
            else found.keptFilesBytes
          rows <= MostRows && bytes <= PageReads.MostWholeBytes
      }
    }

  private def run(batches: RDD[Any], most: Int): Option[Array[InternalRow]] =
    try
      SparkInternals.withTask { task =>
        val rows = batches.partitions.iterator.flatMap { partition =>
          evaluated(child, partition.index, batches.iterator(partition, task))
        }
        PageReads.ofPagesAlone(collect(rows.take(most)))
      }
    catch {
      case RecoverableError(e) =>
        logDebug("Running a lookup without a job failed, so it runs as a job", e)
        None
    }

  /** Returns the rows of a node, of a partition whose rows or batches the scan returns. */
  private def evaluated(
      node: SparkPlan,
      partition: Int,
      read: Iterator[Any]): Iterator[InternalRow] = node match {
    case WholeStageCodegenExec(child) => evaluated(child, partition, read)
    case InputAdapter(child) => evaluated(child, partition, read)
    case ProjectExec(columns, child) =>
      val projection = UnsafeProjection.create(columns, child.output)
      projection.initialize(partition)
      evaluated(child, partition, read).map(projection)
    case FilterExec(condition, child) =>
      val predicate =
        Predicate.createInterpreted(BindReferences.bindReference(condition, child.output))
      predicate.initialize(partition)
      counted(node, evaluated(child, partition, read).filter(predicate.eval))
    case _: ColumnarToRowExec =>
      // as interpreted expressions take NULL in fields of columnar rows for values
      val toUnsafe = UnsafeProjection.create(node.output, node.output)
      counted(
        node,
        read.asInstanceOf[Iterator[ColumnarBatch]].flatMap { batch =>
          node.longMetric("numInputBatches") += 1
          batch.rowIterator.asScala.map(toUnsafe)
        })
    case _ => read.asInstanceOf[Iterator[InternalRow]]
  }

  private def counted(node: SparkPlan, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val count = node.longMetric("numOutputRows")
    rows.map { row =>
      count += 1
      row
    }
  }

  private def collect(some: Iterator[InternalRow]): Option[Array[InternalRow]] = {
    val copies = ArrayBuffer.empty[InternalRow]
    var bytes = 0L
    while (bytes <= MostResultBytes && some.hasNext) {
      val row = some.next().asInstanceOf[UnsafeRow]
      copies += row.copy()
      bytes += row.getSizeInBytes
    }
    if (bytes <= MostResultBytes) Some(copies.toArray) else None
  }

  /** The metrics that tasks would send. A scan sends those of the driver by itself. */
  private def metricsOfTasks(scan: FileSourceScanExec): Iterable[SQLMetric] =
    child.collect {
      case `scan` => (scan.metrics -- scan.driverMetrics.keys).values
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

  /** Expressions are interpreted, so more rows take longer than a job. */
  private val MostRows = 100000L

  /** The most bytes of the columns of a lookup, which are read first. */
  private val MostKeyBytes = 16L << 20
  private val MostResultBytes = 8L << 20
}
