package io.sbbf.spark.pages

import java.io.Closeable

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.pages.PageReads._
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/**
 * Reads a part of a file in two steps: the columns of a filter, and then the pages of all columns
 * that hold rows which may pass it. Whatever it cannot decide, Spark reads as without it.
 *
 * @param keys reads the columns of the filter, row by row
 * @param required the names of the columns that the scan reads, in the files
 * @param minBytes smaller parts are read whole
 */
private[spark] final class PageReads(
    filter: RowFilter,
    keys: Reader,
    required: Set[String],
    minBytes: Long,
    metrics: PageMetrics)
    extends Serializable {

  private val trials = new Trials

  /**
   * Returns the rows of a part that may pass the filter, and maybe others.
   *
   * @param all reads all rows of a part
   * @param isPlannedVersion returns whether the file is still the one that was planned
   */
  def read(
      part: PartitionedFile,
      all: Reader,
      isPlannedVersion: () => Boolean): Iterator[InternalRow] =
    if (part.length < minBytes || trials.areHopeless) all(part)
    else
      selected(part) match {
        case None => all(part)
        case Some(runs) if runs.isEmpty => Iterator.empty
        case Some(runs) =>
          val rows = all(part)
          try
            SparkReader.of(rows) match {
              case Some(reader) => if (isPlannedVersion()) select(reader, runs)
              case None => trials.failed()
            }
          catch { case RecoverableError(e) => warn(e) }
          rows
      }

  /** Returns the rows that may pass the filter, None if all rows are to be read. */
  private def selected(part: PartitionedFile): Option[RowRuns] = {
    var batches: Iterator[Any] = Iterator.empty
    try {
      batches = keys(part)
      val runs = for {
        reader <- SparkReader.of(batches)
        if isWorthIt(reader)
        numbers = reader.returnBatches()
        runs <- evaluated(batches.asInstanceOf[Iterator[ColumnarBatch]], numbers)
      } yield {
        if (runs.isEmpty) metrics.add(PageSizes.Nothing, rowsOf(reader.file))
        runs
      }
      if (runs.isEmpty) trials.failed()
      runs
    } catch {
      case RecoverableError(e) =>
        trials.failed()
        warn(e) // a part of a filter may fail where the whole filter does not
        None
    } finally
      batches match {
        case open: Closeable => open.close()
        case _ =>
      }
  }

  /** Returns whether the filter's columns are the smaller part of what the scan reads, in pages. */
  private def isWorthIt(reader: SparkReader): Boolean = {
    val rowGroups = reader.file.getRowGroups.asScala
    rowGroups.forall(_.getRowIndexOffset >= 0) && {
      val read = reader.requested.getColumns.asScala.map(c => ColumnPath.get(c.getPath: _*)).toSet
      val (first, others) =
        rowGroups.flatMap(_.getColumns.asScala).partition(chunk => read(chunk.getPath))
      val second = others.filter(chunk => required(chunk.getPath.toArray.head))
      first.map(_.getTotalSize).sum <= second.map(_.getTotalSize).sum &&
      (first ++ second).forall(PageSizes.hasPages)
    }
  }

  /** Returns None if the first batches show that too many rows pass. */
  private def evaluated(
      batches: Iterator[ColumnarBatch],
      numbers: RowNumbers): Option[RowRuns] = {
    val passes = filter.predicate()
    val runs = new RowRuns
    var (seen, hit, isHopeless) = (0, 0, false)
    def isCancelled =
      Option(TaskContext.get()).exists(_.isInterrupted()) // Spark's iterator fails it
    while (batches.hasNext && !isCancelled && !isHopeless) {
      val batch = batches.next()
      val passed = add(batch.numRows, passes(batch), numbers, runs)
      seen += 1
      if (passed > 0) hit += 1
      isHopeless = passed > MostPassing || seen >= FirstBatches && hit * 2 > seen
    }
    if (batches.hasNext) None else Some(runs)
  }

  /** Adds the rows of a batch that pass; returns how many do. */
  private def add(rows: Int, passes: Int => Boolean, numbers: RowNumbers, runs: RowRuns): Int = {
    var row = 0
    var passed = 0
    while (row < rows) {
      val number = numbers.next()
      if (passes(row)) {
        runs.add(number)
        passed += 1
      }
      row += 1
    }
    passed
  }

  /** Makes Spark's reader read the pages with these rows, if they are few. */
  private def select(reader: SparkReader, runs: RowRuns): Unit = {
    val file = reader.file
    val all = file.getRowGroups.asScala.toVector
    val chosen = all.indices.map(i => i -> runs.within(all(i))).filter(_._2.rowCount > 0)
    val sizes = chosen.map { case (i, rows) => PageSizes.of(file, i, reader.requested, rows) }
    if (sizes.forall(_.isDefined)) {
      val sum = sizes.flatten.foldLeft(PageSizes.Nothing)(_ + _)
      if (sum.bytesRead > sum.bytesSkipped * MostRead) trials.failed()
      else {
        trials.succeeded()
        val rows = chosen.map(_._2.rowCount)
        metrics.add(sum, skippedRows = rowsOf(file) - rows.sum)
        reader.readInstead(
          rows,
          chosen.iterator.map { case (i, rows) => read(file, reader.requested, i, rows) })
      }
    }
  }

  /** Returns the pages of a row group with some rows, or all if the file's indexes are wrong. */
  private def read(
      file: ParquetFileReader,
      columns: MessageType,
      rowGroup: Int,
      rows: RowRanges): PageReadStore =
    try CheckedPages.read(file, rowGroup, columns, rows)
    catch {
      case RecoverableError(e) =>
        warn(e)
        file.readRowGroup(rowGroup)
    }
}

private[spark] object PageReads {
  type Reader = PartitionedFile => Iterator[InternalRow]

  /**
   * Returns None where choosing rows cannot pay, and where Spark reads the files row by row.
   *
   * @param filters the conjuncts of the scan's filter
   * @param inFiles returns the columns of the files for columns of the scan
   * @param keys returns a reader of the columns of a filter, which it reads row by row
   */
  def of(
      session: SparkSession,
      filters: Seq[Expression],
      scan: ScanSchema,
      inFiles: StructType => StructType,
      metrics: => PageMetrics)(keys: RowFilter => Reader): Option[PageReads] = {
    val conf = session.sessionState.conf
    def isVectorized(schema: StructType) =
      ParquetUtils.isBatchReadSupportedForSchema(conf, StructType(schema ++ scan.partitions))
    for {
      filter <- RowFilter.of(filters, scan)
      if SbbfConf.Pages.get(conf) && isVectorized(scan.required) && isVectorized(filter.schema)
    } yield new PageReads(
      filter,
      keys(filter),
      inFiles(scan.required).fieldNames.toSet,
      SbbfConf.PageBytes.get(conf),
      metrics)
  }

  private def rowsOf(file: ParquetFileReader): Long =
    file.getRowGroups.asScala.map(_.getRowCount).sum

  private def warn(e: Throwable): Unit =
    LogOnce.once(
      s"pages: ${e.getClass.getName}",
      "tasks could not choose pages, so they read whole row groups",
      e)

  /** So many batches show whether rows pass in most pages. */
  private final val FirstBatches = 8

  /** With more rows of a batch, which has 4,096, few pages have none. */
  private final val MostPassing = 1000

  /** How often the bytes that are left out the bytes of pages to read may be. */
  private final val MostRead = 3
}
