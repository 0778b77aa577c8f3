package io.sbbf.parquet
package values

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.{ByteBufferInputStream, BytesUtils}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2, PageReader}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
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

  /**
   * Whether all of them could be read: not if a page is of another encoding, and then some values
   * may have been handed on.
   *
   * @throws java.io.IOException when a page is not what its header says
   */
  def add(pages: PageReader): Boolean = {
    val encodings = Iterator
      .continually(pages.readPage())
      .takeWhile(_ != null)
      .map { page =>
        if (encoding(page) == Encoding.PLAIN) addPlain(page)
        encoding(page)
      }
      .toSet
    if (encodings.exists(_.usesDictionary)) {
      // not before: all pages share a decompressor, and its bytes come when they are asked for
      val dictionary = pages.readDictionaryPage()
      if (dictionary == null) throw new IOException("the dictionary of a page is missing")
      ChunkValues.addDictionary(dictionary, column, sink)
    }
    encodings.forall(isKnown)
  }

  private def addPlain(page: DataPage): Unit = {
    val (count, stream) = page match {
      case page: DataPageV1 => present(page)
      case page: DataPageV2 => (present(page), page.getData.toInputStream)
    }
    val bytes = stream.slice(stream.available).order(ByteOrder.LITTLE_ENDIAN)
    val primitive = column.getPrimitiveType
    primitive.getPrimitiveTypeName match {
      case INT32 => each(bytes, count, 4)(at => sink.addInt(bytes.getInt(at)))
      case INT64 => each(bytes, count, 8)(at => sink.addLong(bytes.getLong(at)))
      case FLOAT => each(bytes, count, 4)(at => sink.addFloat(bytes.getFloat(at)))
      case DOUBLE => each(bytes, count, 8)(at => sink.addDouble(bytes.getDouble(at)))
      case INT96 => addFixed(bytes, count, 12)
      case FIXED_LEN_BYTE_ARRAY => addFixed(bytes, count, primitive.getTypeLength)
      case BINARY => addByteArrays(bytes, count)
      case BOOLEAN => throw new IllegalArgumentException(ValueKind.WhyNone)
    }
  }

  /** How many values are not null, and what stands behind the levels. */
  private def present(page: DataPageV1): (Int, ByteBufferInputStream) = {
    val stream = page.getBytes.toInputStream
    def levels(encoding: Encoding, kind: ValuesType) = {
      val reader = encoding.getValuesReader(column, kind)
      reader.initFromPage(page.getValueCount, stream)
      reader
    }
    levels(page.getRlEncoding, ValuesType.REPETITION_LEVEL)
    val definition = levels(page.getDlEncoding, ValuesType.DEFINITION_LEVEL)
    (present(page, () => definition.readInteger()), stream)
  }

  /** Not by the header's count of nulls, which some writers leave at -1 or take from elsewhere. */
  private def present(page: DataPageV2): Int = {
    lazy val definition = new RunLengthBitPackingHybridDecoder(
      BytesUtils.getWidthFromMaxInt(column.getMaxDefinitionLevel),
      page.getDefinitionLevels.toInputStream)
    present(page, () => definition.readInt())
  }

  private def present(page: DataPage, nextLevel: () => Int): Int = {
    val maxLevel = column.getMaxDefinitionLevel
    if (maxLevel == 0) page.getValueCount
    else {
      var count = 0
      var read = 0
      while (read < page.getValueCount) {
        if (nextLevel() == maxLevel) count += 1
        read += 1
      }
      count
    }
  }

  private def addFixed(bytes: ByteBuffer, count: Int, width: Int): Unit =
    each(bytes, count, width)(at => sink.addBytes(Binary.fromReusedByteBuffer(bytes, at, width)))

  private def addByteArrays(bytes: ByteBuffer, count: Int): Unit = {
    var at = bytes.position()
    var added = 0
    while (added < count) {
      val length = if (bytes.limit() - at < 4) -1 else bytes.getInt(at)
      if (length < 0 || length > bytes.limit() - at - 4) throw tooShort
      sink.addBytes(Binary.fromReusedByteBuffer(bytes, at + 4, length))
      at += 4 + length
      added += 1
    }
  }
}

private[values] object PlainPages {

  /** Whether the footer tells of no other encoding of a chunk. */
  def mayBeAllOf(chunk: ColumnChunkMetaData): Boolean =
    chunk.getEncodings.stream.allMatch(encoding => isKnown(encoding) || OfLevels(encoding.name))

  /** A chunk's encodings are those of its levels, too; by name, as one is deprecated. */
  private val OfLevels = Set("RLE", "BIT_PACKED")

  private def isKnown(encoding: Encoding): Boolean =
    encoding == Encoding.PLAIN || encoding.usesDictionary

  private def encoding(page: DataPage): Encoding = page match {
    case page: DataPageV1 => page.getValueEncoding
    case page: DataPageV2 => page.getDataEncoding
  }

  /** Where each value of one width begins. */
  private def each(bytes: ByteBuffer, count: Int, width: Int)(add: Int => Unit): Unit = {
    if (bytes.remaining < count.toLong * width) throw tooShort
    var at = bytes.position()
    var added = 0
    while (added < count) {
      add(at)
      at += width
      added += 1
    }
  }

  private def tooShort = new IOException("a page is shorter than its values")
}
