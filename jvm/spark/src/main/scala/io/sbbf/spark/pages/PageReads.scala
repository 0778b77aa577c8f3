package io.sbbf.spark.pages

import java.io.{Closeable, IOException}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.pages.FileRead.Reader
import io.sbbf.spark.pages.PageReads._
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/**
 * Reads a part of a file in two steps: the columns of a filter, and then the pages of all columns
 * that hold rows which may pass it. Whatever it cannot decide, a task reads as without it.
 *
 * @param keys a reader of rows of the filter's columns, which can return batches instead
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
   * @throws WholeRead if too much is left to read, in [[PageReads.withLimits]]
   */
  def read(
      part: PartitionedFile,
      all: Reader,
      isPlannedVersion: () => Boolean): Iterator[InternalRow] =
    if (part.length < minBytes || trials.areHopeless) whole(all)(part)
    else
      selected(part) match {
        case None => whole(all)(part)
        case Some(runs) if runs.isEmpty => Iterator.empty
        case Some(runs) =>
          val rows = all(part)
          try if (!(isPlannedVersion() && select(part, rows, runs))) limit(part.length)
          catch { case e: WholeRead => close(rows); throw e }
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
        runs <- PassingRows.find(filter, batches.asInstanceOf[Iterator[ColumnarBatch]], numbers)
      } yield {
        if (runs.isEmpty) metrics.add(PageSizes.Zero, rowsOf(reader.file))
        runs
      }
      if (runs.isEmpty && !PassingRows.isCancelled) gainedNothing()
      runs
    } catch {
      // a part of a filter may fail where the whole filter does not
      case RecoverableError(e) =>
        failed(part.filePath.toString, e)
        None
    } finally close(batches)
  }

  private def close(batches: Iterator[Any]): Unit = batches match {
    case open: Closeable =>
      try open.close()
      catch { case RecoverableError(_) | _: IOException => () } // what was read is complete
    case _ =>
  }

  /** A lookup without a job gives up earlier than a task. */
  private def gainedNothing(): Unit = if (!isLimited.get) trials.failed()

  private def failed(file: String, e: Throwable): Unit = {
    gainedNothing()
    LogOnce.once(
      s"pages: ${e.getClass.getName}",
      s"$file: a task could not choose pages, so it reads whole row groups: " +
        RecoverableError.message(e),
      e)
  }

  /** Returns whether the filter's columns are the smaller part of what the scan reads, in pages. */
  private def isWorthIt(reader: SparkReader): Boolean = {
    val rowGroups = reader.file.getRowGroups.asScala
    rowGroups.forall(_.getRowIndexOffset >= 0) && {
      val read = reader.requested.getColumns.asScala.map(c => ColumnPath.get(c.getPath: _*)).toSet
      val (keyChunks, otherChunks) =
        rowGroups.flatMap(_.getColumns.asScala).partition(chunk => read(chunk.getPath))
      val chunksAfter = otherChunks.filter(chunk => required(chunk.getPath.toArray.head))
      keyChunks.map(_.getTotalSize).sum <= chunksAfter.map(_.getTotalSize).sum &&
      !isTooLarge(keyChunks.map(_.getTotalUncompressedSize).sum, MostKeyBytes) &&
      (keyChunks ++ chunksAfter).forall(PageSizes.canSkipPages)
    }
  }

  /** Makes Spark's reader read the pages with these rows, if they are few; returns whether it does. */
  private def select(part: PartitionedFile, rows: Iterator[Any], runs: RowRuns): Boolean =
    try {
      val selects = SparkReader.of(rows).exists(select(_, runs))
      if (selects) trials.succeeded() else gainedNothing()
      selects
    } catch {
      case RecoverableError(e) =>
        failed(part.filePath.toString, e)
        false
    }

  private def select(reader: SparkReader, runs: RowRuns): Boolean = {
    val file = reader.file
    val all = file.getRowGroups.asScala.toVector
    val (hit, missed) =
      all.indices.map(i => i -> runs.within(all(i))).partition(_._2.rowCount > 0)
    val chosen = hit.flatMap { case (i, rows) =>
      PageSizes.of(file, i, reader.requested, rows).map(Chosen(i, rows, _))
    }
    val sum = chosen.map(_.sizes).foldLeft(PageSizes.Zero)(_ + _)
    val areFew = chosen.size == hit.size &&
      sum.bytesRead <= sum.bytesSkipped * MaxReadRatio && !isTooLarge(sum.bytesRead)
    if (areFew) {
      metrics.add(PageSizes.Zero, missed.map { case (i, _) => all(i).getRowCount }.sum)
      reader.readInstead(
        chosen.map(_.rows.rowCount),
        chosen.iterator.map(read(file, reader.requested, _)))
    }
    areFew
  }

  /** Returns the pages of a row group with some rows, or all if the file's indexes are wrong. */
  private def read(file: ParquetFileReader, columns: MessageType, chosen: Chosen): PageReadStore =
    try {
      val pages = CheckedPages.read(file, chosen.rowGroup, columns, chosen.rows)
      val rows = file.getRowGroups.get(chosen.rowGroup).getRowCount
      metrics.add(chosen.sizes, rows - chosen.rows.rowCount)
      pages
    } catch {
      case RecoverableError.OfFile(e) =>
        failed(file.getFile, e)
        limit(file.getRowGroups.get(chosen.rowGroup).getCompressedSize)
        file.readRowGroup(chosen.rowGroup)
    }
}

private[spark] object PageReads {

  /** The rows to read of a row group, and the pages that hold them. */
  private final case class Chosen(rowGroup: Int, rows: RowRanges, sizes: PageSizes)

  /** Too many bytes are left to read, because no pages could be chosen, or too many. */
  final class WholeRead(bytes: Long) extends IOException(s"$bytes bytes would be read at once")

  /**
   * Runs `body`, which reads at most [[MostKeyBytes]] of a filter's columns and [[MostBytes]] of a file
   * in this thread. Where more is left to read, a read throws [[WholeRead]].
   */
  def withLimits[T](body: => T): T = {
    isLimited.set(true)
    try body
    finally isLimited.remove()
  }

  private val isLimited = ThreadLocal.withInitial[Boolean](() => false)

  /** The most bytes of a file, as stored, that a thread in [[withLimits]] reads at once. */
  final val MostBytes = 8L << 20

  /** The most bytes of a filter's columns, decompressed, that a thread in [[withLimits]] reads. */
  final val MostKeyBytes = 16L << 20

  private def isTooLarge(bytes: Long, most: Long = MostBytes): Boolean =
    isLimited.get && bytes > most

  private def limit(bytes: Long): Unit = if (isTooLarge(bytes)) throw new WholeRead(bytes)

  /** Returns a reader of all rows of a part, which throws as [[PageReads.read]] does. */
  def whole(all: Reader): Reader = part => {
    limit(part.length)
    all(part)
  }

  /**
   * Turns off vectored reads of local files. Hadoop reads each range of them in a thread, which keeps a
   * direct buffer of its largest range. Reads of pages start many threads; later reads of whole row groups
   * then exhaust direct memory (findings/hadoop-vectored-memory.sh).
   */
  def disableVectoredReads(conf: Configuration, paths: Seq[Path]): Unit =
    if (paths.exists(_.toUri.getScheme == "file"))
      conf.setBoolean("parquet.hadoop.vectored.io.enabled", false)

  /**
   * Returns reads of the rows that the filter of a format finds, None if it has none for the scan.
   *
   * @param inFiles returns the columns of the files for columns of the scan
   * @param metrics the metrics of the scan, which only the driver can make
   * @param reader returns Spark's reader of the files
   */
  def of(
      session: SparkSession,
      format: SelectsRows,
      scan: FileRead,
      inFiles: StructType => StructType,
      metrics: => PageMetrics)(reader: FileRead => Reader): Option[PageReads] = {
    val conf = session.sessionState.conf
    try
      format.rowFilter(scan.required, scan.data, scan.partitions, conf).map { filter =>
        new PageReads(
          filter,
          reader(scan.keysOnly(filter)),
          inFiles(scan.required).fieldNames.toSet,
          SbbfConf.PageBytes.get(conf),
          metrics)
      }
    catch {
      case RecoverableError(e) =>
        LogOnce.once(
          s"page reads: ${e.getClass.getName}",
          "tasks cannot choose pages, so they read whole row groups",
          e)
        None
    }
  }

  private def rowsOf(file: ParquetFileReader): Long =
    file.getRowGroups.asScala.map(_.getRowCount).sum

  /** The most bytes of pages to read for each byte that is left out. */
  private final val MaxReadRatio = 3
}
