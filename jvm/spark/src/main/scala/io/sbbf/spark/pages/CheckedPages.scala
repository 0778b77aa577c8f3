package io.sbbf.spark.pages

import java.io.{ByteArrayOutputStream, IOException}
import java.util.{Collection => JavaCollection}

import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.page._
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType

/**
 * Pages of a row group that were read by offset indexes, each with as many rows as its index says.
 * Readers find rows by these numbers.
 */
private[pages] object CheckedPages {

  /**
   * Reads the pages of some columns of a row group that hold some rows.
   *
   * @throws java.io.IOException if a page has other rows than its index says, or if the pages of a list
   *   would take more than 64 MB
   * @throws ReflectiveOperationException if parquet-mr keeps its pages in another way
   */
  def read(
      file: ParquetFileReader,
      rowGroup: Int,
      columns: MessageType,
      rows: RowRanges): PageReadStore = {
    val pages: PageReadStore = file.readFilteredRowGroup(rowGroup, rows)
    val indexes = file.getColumnIndexStore(rowGroup)
    val block = file.getRowGroups.get(rowGroup)
    val stored = block.getColumns.asScala.map(_.getPath).toSet
    def pathOf(column: ColumnDescriptor) = ColumnPath.get(column.getPath: _*)
    // readers need no pages of a column that the file lacks
    val present = columns.getColumns.asScala.filter(column => stored(pathOf(column)))
    val readers = present.map { column =>
      val index = indexes.getOffsetIndex(pathOf(column))
      val reader = pages.getPageReader(column)
      val compressed = compressedPages(reader)
      val isList = column.getMaxRepetitionLevel > 0
      val read =
        if (isList && compressed.exists(_.isInstanceOf[DataPageV1])) {
          limit(compressed, column)
          decompressed(reader)
        } else compressed
      verify(read.map(rowsOf(_, column)), index, block.getRowCount, rows, column)
      column -> new Pages(
        reader,
        if (read eq compressed) None else Some(read),
        needsDictionary = compressed.exists(encodingOf(_).usesDictionary))
    }.toMap
    // later versions of the interface have more methods
    Delegate.of(classOf[PageReadStore], pages) {
      case ("getPageReader", Seq(column: ColumnDescriptor)) => readers(column)
    }
  }

  private def encodingOf(page: DataPage): Encoding = page match {
    case page: DataPageV1 => page.getValueEncoding
    case page: DataPageV2 => page.getDataEncoding
  }

  private def compressedPages(reader: PageReader): Seq[DataPage] = {
    val pages = reader.getClass.getDeclaredField("compressedPages")
    pages.setAccessible(true)
    pages.get(reader).asInstanceOf[JavaCollection[DataPage]].asScala.toVector
  }

  private def verify(
      rowsOfPages: Seq[Int],
      index: OffsetIndex,
      numRows: Long,
      rows: RowRanges,
      column: ColumnDescriptor): Unit = {
    val stated = (0 until index.getPageCount)
      .map(page => index.getFirstRowIndex(page) -> index.getLastRowIndex(page, numRows))
      .collect { case (first, last) if rows.isOverlapping(first, last) => last - first + 1 }
    if (rowsOfPages.map(_.toLong) != stated) {
      throw new IOException(
        s"the offset index of ${nameOf(column)} states ${stated.size} pages of ${stated.sum} rows, " +
          s"found ${rowsOfPages.size} of ${rowsOfPages.sum}: write the file again")
    }
  }

  private def limit(pages: Seq[DataPage], column: ColumnDescriptor): Unit = {
    val bytes = pages.map(_.getUncompressedSize.toLong).sum
    if (bytes > MostListBytes)
      throw new IOException(
        s"the pages of the list ${nameOf(column)} would take $bytes bytes, " +
          s"and $MostListBytes are the most")
  }

  private def nameOf(column: ColumnDescriptor): String = column.getPath.mkString(".")

  /** The pages of a list are decompressed before a reader needs them, all at once. */
  private final val MostListBytes = 64L << 20

  private def rowsOf(page: DataPage, column: ColumnDescriptor): Int = page match {
    case page: DataPageV2 => page.getRowCount
    case page: DataPageV1 if column.getMaxRepetitionLevel > 0 => startedRows(page, column)
    case page => page.getValueCount
  }

  /** Returns the pages of a list, whose rows only their repetition levels state. */
  private def decompressed(reader: PageReader): Seq[DataPage] =
    Iterator
      .continually(reader.readPage())
      .takeWhile(_ != null)
      .map {
        case page: DataPageV1 => copied(page)
        case page => page
      }
      .toVector

  /**
   * @param copies the pages if they were read, which happens once
   * @param needsDictionary whether one of the pages needs the dictionary. To decode one of 1 MB may take
   *   longer than the pages of a row.
   */
  private final class Pages(
      original: PageReader,
      copies: Option[Seq[DataPage]],
      needsDictionary: Boolean)
      extends PageReader {
    private val next = copies.map(_.iterator)
    override def readDictionaryPage(): DictionaryPage =
      if (needsDictionary) original.readDictionaryPage() else null
    override def getTotalValueCount: Long = original.getTotalValueCount
    override def readPage(): DataPage =
      next.fold(original.readPage())(pages => if (pages.hasNext) pages.next() else null)
  }

  /** Some codecs decompress while the page is read, which they allow once. */
  private def copied(page: DataPageV1): DataPageV1 = {
    val bytes = new ByteArrayOutputStream(page.getUncompressedSize)
    page.getBytes.writeAllTo(bytes)
    new DataPageV1(
      BytesInput.from(bytes.toByteArray),
      page.getValueCount,
      page.getUncompressedSize,
      page.getFirstRowIndex.orElse(-1L),
      page.getIndexRowCount.orElse(-1),
      page.getStatistics,
      page.getRlEncoding,
      page.getDlEncoding,
      page.getValueEncoding
    )
  }

  /** Returns the number of repetition levels that are 0, each of which starts a row. */
  private def startedRows(page: DataPageV1, column: ColumnDescriptor): Int =
    if (page.getRlEncoding != Encoding.RLE) -1
    else {
      val bytes = page.getBytes.toInputStream
      BytesUtils.readIntLittleEndian(bytes) // their length
      val width = BytesUtils.getWidthFromMaxInt(column.getMaxRepetitionLevel)
      val levels = new RunLengthBitPackingHybridDecoder(width, bytes)
      (0 until page.getValueCount).count(_ => levels.readInt() == 0)
    }
}
