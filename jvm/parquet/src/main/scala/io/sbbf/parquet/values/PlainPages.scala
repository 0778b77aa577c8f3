package io.sbbf.parquet
package values

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2, PageReader}
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ValuesType}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * The values of a column chunk whose pages are PLAIN or name values of its dictionary (Encodings.md
 * of parquet-format): read page by page, as parquet-mr's ColumnReader decides anew for each value.
 * Those of the dictionary are handed on once.
 */
private[values] final class PlainPages(column: ColumnDescriptor, sink: ValueSink) {
  import PlainPages._

  /** @throws java.io.IOException when a page is not as the footer and its header say */
  def add(pages: PageReader): Unit = {
    val dictionary = Option(pages.readDictionaryPage())
    var isNamed = false
    Iterator.continually(pages.readPage()).takeWhile(_ != null).foreach { page =>
      encoding(page) match {
        case Encoding.PLAIN => addPlain(page)
        case encoding if encoding.usesDictionary => isNamed = true
        case encoding => throw new IOException(s"a page is $encoding, and the footer says others")
      }
    }
    if (isNamed)
      ChunkValues.addDictionary(
        dictionary.getOrElse(throw new IOException("the dictionary of a page is missing")),
        column,
        sink)
  }

  private def addPlain(page: DataPage): Unit = {
    val (stream, count) = page match {
      case page: DataPageV1 => present(page)
      case page: DataPageV2 =>
        (page.getData.toInputStream, page.getValueCount - page.getNullCount)
    }
    val bytes = stream.slice(stream.available).order(ByteOrder.LITTLE_ENDIAN)
    column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => each(bytes, count, 4)(at => sink.addInt(bytes.getInt(at)))
      case INT64 => each(bytes, count, 8)(at => sink.addLong(bytes.getLong(at)))
      case FLOAT => each(bytes, count, 4)(at => sink.addFloat(bytes.getFloat(at)))
      case DOUBLE => each(bytes, count, 8)(at => sink.addDouble(bytes.getDouble(at)))
      case BINARY => addByteArrays(bytes, count)
      case kind =>
        val width = if (kind == INT96) 12 else column.getPrimitiveType.getTypeLength
        each(bytes, count, width)(at =>
          sink.addBytes(Binary.fromReusedByteBuffer(bytes, at, width)))
    }
  }

  /** What stands behind the levels of a page, and how many values of it are not null. */
  private def present(page: DataPageV1): (ByteBufferInputStream, Int) = {
    val stream = page.getBytes.toInputStream
    val repetition =
      page.getRlEncoding.getValuesReader(column, ValuesType.REPETITION_LEVEL)
    repetition.initFromPage(page.getValueCount, stream)
    val definition =
      page.getDlEncoding.getValuesReader(column, ValuesType.DEFINITION_LEVEL)
    definition.initFromPage(page.getValueCount, stream)
    val most = column.getMaxDefinitionLevel
    var count = 0
    var left = if (most > 0) page.getValueCount else 0
    while (left > 0) {
      if (definition.readInteger() == most) count += 1
      left -= 1
    }
    (stream, if (most > 0) count else page.getValueCount)
  }

  private def addByteArrays(bytes: ByteBuffer, count: Int): Unit = {
    var at = bytes.position()
    var left = count
    while (left > 0) {
      val length = if (bytes.limit() - at < 4) -1 else bytes.getInt(at)
      if (length < 0 || length > bytes.limit() - at - 4) throw tooShort
      sink.addBytes(Binary.fromReusedByteBuffer(bytes, at + 4, length))
      at += 4 + length
      left -= 1
    }
  }
}

private[values] object PlainPages {

  /** Whether a chunk is one of these, by its footer. */
  def areAllOf(chunk: ColumnChunkMetaData): Boolean =
    chunk.getEncodings.stream.allMatch(encoding =>
      encoding == Encoding.PLAIN || encoding.usesDictionary || OfLevels(encoding.name))

  /** Those are among a chunk's, too. */
  private val OfLevels = Set("RLE", "BIT_PACKED")

  private def encoding(page: DataPage): Encoding = page match {
    case page: DataPageV1 => page.getValueEncoding
    case page: DataPageV2 => page.getDataEncoding
  }

  /** Where each value of one width begins. */
  private def each(bytes: ByteBuffer, count: Int, width: Int)(add: Int => Unit): Unit = {
    var at = bytes.position()
    val end = at + count.toLong * width
    if (end > bytes.limit()) throw tooShort
    while (at < end) {
      add(at)
      at += width
    }
  }

  private def tooShort = new IOException("a page is shorter than its values")
}
