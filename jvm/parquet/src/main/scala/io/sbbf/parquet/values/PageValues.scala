package io.sbbf.parquet.values

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.{ByteBufferInputStream, BytesUtils}
import org.apache.parquet.column.page.{
  DataPage,
  DataPageV1,
  DataPageV2,
  DictionaryPage,
  PageReader
}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ValuesType}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Reads the values of a column chunk's uncompressed pages and passes them to `sink`. Not
 * thread-safe.
 *
 * It decodes PLAIN pages and the dictionary itself (Encodings.md of parquet-format), because
 * parquet-mr's ColumnReader repeats its decisions for each value. It passes each value of the
 * dictionary once.
 */
private[parquet] final class PageValues(column: ColumnDescriptor, sink: ValueSink) {
  import PageValues._

  private var awaitsDictionary = false

  /**
   * Passes the values of all pages of a chunk.
   *
   * @return whether all values were passed. If a page has another encoding, only some may have
   *   been.
   * @throws java.io.IOException if a page contradicts its header
   */
  def addAll(pages: PageReader): Boolean = {
    val areKnown = Iterator
      .continually(pages.readPage())
      .takeWhile(_ != null)
      .map { page =>
        val isRead = isKnown(encoding(page))
        if (isRead) add(page)
        isRead
      }
      .toVector
    // The dictionary comes last: all pages share a decompressor, which decompresses lazily.
    if (awaitsDictionary) Option(pages.readDictionaryPage()).foreach(add)
    end()
    areKnown.forall(identity)
  }

  /**
   * Passes all non-null values of a page, as often as the page holds them. Values of a
   * dictionary-encoded page follow with the dictionary.
   *
   * @throws java.io.IOException if the page contradicts its header
   */
  def add(page: DataPage): Unit =
    if (encoding(page).usesDictionary) awaitsDictionary = true
    else if (encoding(page) == Encoding.PLAIN) addPlain(page)
    else addDecoded(page)

  /** Passes each value of the dictionary once. */
  def add(dictionary: DictionaryPage): Unit = {
    ChunkValues.addDictionary(dictionary, column, sink)
    awaitsDictionary = false
  }

  /**
   * Ends the chunk.
   *
   * @throws java.io.IOException if a page needs a dictionary that was not added
   */
  def end(): Unit =
    if (awaitsDictionary) throw new IOException("the dictionary of a page is missing")

  private def addPlain(page: DataPage): Unit = {
    val (count, stream) = present(page)
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

  /**
   * Passes the values that parquet-mr's reader of the encoding returns. The encoding must not
   * depend on earlier pages.
   */
  private def addDecoded(page: DataPage): Unit = {
    val (count, stream) = present(page)
    val values = encoding(page).getValuesReader(column, ValuesType.VALUES)
    values.initFromPage(page.getValueCount, stream)
    val add: () => Unit = column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => () => sink.addInt(values.readInteger())
      case INT64 => () => sink.addLong(values.readLong())
      case FLOAT => () => sink.addFloat(values.readFloat())
      case DOUBLE => () => sink.addDouble(values.readDouble())
      case _ => () => sink.addBytes(values.readBytes())
    }
    var added = 0
    while (added < count) {
      add()
      added += 1
    }
  }

  /** Returns the number of non-null values, and the bytes after the levels. */
  private def present(page: DataPage): (Int, ByteBufferInputStream) = page match {
    case page: DataPageV1 => present(page)
    case page: DataPageV2 => (present(page), page.getData.toInputStream)
  }

  private def present(page: DataPageV1): (Int, ByteBufferInputStream) = {
    val stream = page.getBytes.toInputStream
    def reader(encoding: Encoding, kind: ValuesType) = {
      val levels = encoding.getValuesReader(column, kind)
      levels.initFromPage(page.getValueCount, stream)
      levels
    }
    reader(page.getRlEncoding, ValuesType.REPETITION_LEVEL)
    val count =
      if (maxLevel == 0) page.getValueCount
      else if (page.getDlEncoding == Encoding.RLE) { // the levels follow their length in bytes
        inRuns(stream.slice(BytesUtils.readIntLittleEndian(stream)), page.getValueCount)
      } else {
        val definition = reader(page.getDlEncoding, ValuesType.DEFINITION_LEVEL)
        oneByOne(page.getValueCount, () => definition.readInteger())
      }
    (count, stream)
  }

  /**
   * Counts the non-null values by the levels. The null count of the header is not reliable: some
   * writers leave it at -1 or take it from elsewhere.
   */
  private def present(page: DataPageV2): Int =
    if (maxLevel == 0) page.getValueCount
    else {
      val stream = page.getDefinitionLevels.toInputStream
      inRuns(stream.slice(stream.available), page.getValueCount)
    }

  /** Counts the non-null values. If no value is null, one run covers all of them. */
  private def inRuns(levels: ByteBuffer, values: Int): Int = {
    val width = BytesUtils.getWidthFromMaxInt(maxLevel)
    if (values > 0 && isOneRun(ByteBufferInputStream.wrap(levels.duplicate()), width, values))
      values
    else {
      val definition =
        new RunLengthBitPackingHybridDecoder(width, ByteBufferInputStream.wrap(levels))
      oneByOne(values, () => definition.readInt())
    }
  }

  /**
   * Whether the first run covers at least `values` values, all at the highest level (Encodings.md
   * of parquet-format, RLE = 3).
   */
  private def isOneRun(levels: ByteBufferInputStream, width: Int, values: Int): Boolean = {
    val header = BytesUtils.readUnsignedVarInt(levels)
    val isRepeated = (header & 1) == 0
    isRepeated && (header >>> 1) >= values &&
    BytesUtils.readIntLittleEndianPaddedOnBitWidth(levels, width) == maxLevel
  }

  private def oneByOne(values: Int, nextLevel: () => Int): Int = {
    var count = 0
    var read = 0
    while (read < values) {
      if (nextLevel() == maxLevel) count += 1
      read += 1
    }
    count
  }

  private def maxLevel: Int = column.getMaxDefinitionLevel

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

private[values] object PageValues {

  /** Whether the footer lists only encodings of a chunk that [[PageValues]] reads. */
  def mayBeAllOf(chunk: ColumnChunkMetaData): Boolean =
    chunk.getEncodings.stream.allMatch(encoding =>
      isKnown(encoding) || LevelEncodings(encoding.name))

  /**
   * The encodings of levels, which a chunk's encodings include. They are given by name, because
   * one of them is deprecated.
   */
  private val LevelEncodings = Set("RLE", "BIT_PACKED")

  private def isKnown(encoding: Encoding): Boolean =
    encoding == Encoding.PLAIN || encoding.usesDictionary

  private def encoding(page: DataPage): Encoding = page match {
    case page: DataPageV1 => page.getValueEncoding
    case page: DataPageV2 => page.getDataEncoding
  }

  /** Calls `add` with the start of each of `count` values of one width. */
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
