package io.sbbf.spark.pages

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ColumnPath}
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType

/** The pages that a read of some rows takes, and those that it leaves out, with their bytes. */
private[pages] final case class PageSizes(
    read: Int,
    skipped: Int,
    bytesRead: Long,
    bytesSkipped: Long) {
  def +(other: PageSizes): PageSizes = PageSizes(
    read + other.read,
    skipped + other.skipped,
    bytesRead + other.bytesRead,
    bytesSkipped + other.bytesSkipped)
}

private[pages] object PageSizes {
  val Zero: PageSizes = PageSizes(0, 0, 0, 0)

  /**
   * Returns the pages of some columns of a row group by their offset indexes. Returns None if a column
   * has no index, or one that cannot be right. A column that the file lacks has no pages.
   */
  def of(
      file: ParquetFileReader,
      rowGroup: Int,
      columns: MessageType,
      rows: RowRanges): Option[PageSizes] = {
    val block = file.getRowGroups.get(rowGroup)
    val chunks = block.getColumns.asScala.map(c => c.getPath -> c).toMap
    val indexes = file.getColumnIndexStore(rowGroup)
    val isOurs = isOfParquetMr(file)
    // pages of other writers may begin inside of a record
    def ofChunk(column: ColumnDescriptor, chunk: ColumnChunkMetaData) =
      Option(indexes.getOffsetIndex(chunk.getPath))
        .filter(index =>
          (isOurs || column.getMaxRepetitionLevel == 0) && canSkipPages(chunk) &&
            tiles(index, chunk, block.getRowCount))
        .map(of(_, rows, block.getRowCount))
    columns.getColumns.asScala
      .flatMap(column => chunks.get(ColumnPath.get(column.getPath: _*)).map(ofChunk(column, _)))
      .foldLeft(Option(Zero)) { (sum, sizes) => for (a <- sum; b <- sizes) yield a + b }
  }

  private def of(index: OffsetIndex, rows: RowRanges, numRows: Long): PageSizes =
    (0 until index.getPageCount).foldLeft(Zero) { (sum, page) =>
      val bytes = index.getCompressedPageSize(page).toLong
      if (rows.isOverlapping(index.getFirstRowIndex(page), index.getLastRowIndex(page, numRows)))
        sum + PageSizes(1, 0, bytes, 0)
      else sum + PageSizes(0, 1, 0, bytes)
    }

  /** Returns whether the pages of an index are the whole chunk, in order and without gaps. */
  private def tiles(index: OffsetIndex, chunk: ColumnChunkMetaData, numRows: Long): Boolean = {
    val last = index.getPageCount - 1
    last >= 0 && index.getFirstRowIndex(0) == 0 && index.getFirstRowIndex(last) < numRows &&
    index.getOffset(0) == chunk.getFirstDataPageOffset &&
    index.getOffset(last) + index.getCompressedPageSize(last) ==
      chunk.getStartingPos + chunk.getTotalSize &&
      (0 until last).forall { page =>
        index.getFirstRowIndex(page) < index.getFirstRowIndex(page + 1) &&
        index.getOffset(page) + index.getCompressedPageSize(page) == index.getOffset(page + 1)
      }
  }

  /** Returns whether a chunk has an offset index, and pages of which Spark's readers skip rows. */
  def canSkipPages(chunk: ColumnChunkMetaData): Boolean =
    chunk.getOffsetIndexReference != null && !isSkippedWrongly(chunk)

  /** The other encodings of deltas have parts in DELTA_BINARY_PACKED. */
  private def isSkippedWrongly(chunk: ColumnChunkMetaData): Boolean =
    !PackedDeltas.areSkippedCorrectly && chunk.getEncodings.asScala.exists(
      _.name.startsWith("DELTA_"))

  private def isOfParquetMr(file: ParquetFileReader): Boolean =
    Option(file.getFooter.getFileMetaData.getCreatedBy).exists(_.startsWith("parquet-mr"))
}
