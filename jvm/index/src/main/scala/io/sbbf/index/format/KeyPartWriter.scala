package io.sbbf.index.format

import java.io.ByteArrayOutputStream
import java.util.HashMap

import scala.collection.mutable.ArrayBuffer
import scala.language.existentials

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.values.delta.{
  DeltaBinaryPackingValuesWriterForInteger,
  DeltaBinaryPackingValuesWriterForLong
}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/**
 * Writes a file of keys in ascending order. It holds the whole file in memory. Not thread-safe.
 *
 * It writes pages itself, because those of the two columns have to hold the same rows, so that a
 * lookup reads one page of each.
 */
private[sbbf] final class KeyPartWriter(file: CheckedFile.Output) {
  import KeyPartWriter._

  private val pages = ArrayBuffer.empty[Page]
  private var page = new PageBuilder
  private var entries = 0L
  private var firstKey = 0L
  private var lastKey = -1L

  /**
   * Adds a key, which is above the last one.
   *
   * @param key at least 0
   * @param rowGroups the numbers of the row groups that hold it, ascending, at the positions `from`
   *   until `until`
   */
  def add(key: Long, rowGroups: Array[Int], from: Int, until: Int): Unit = {
    require(key > lastKey && from < until, "keys must ascend")
    if (lastKey < 0) firstKey = key
    lastKey = key
    page.add(key, rowGroups, from, until)
    entries += until - from
    if (page.isFull) endPage()
  }

  /**
   * Writes the file.
   *
   * @param name its name in the manifest
   * @throws java.io.IOException if it cannot be written
   */
  def write(name: String): StoredPart = {
    endPage()
    val keys = pages.map(_.keys.toLong).sum
    val writer = new ParquetFileWriter(
      file,
      KeySchema.Message,
      ParquetFileWriter.Mode.CREATE,
      BlockSize,
      0,
      Integer.MAX_VALUE,
      Integer.MAX_VALUE,
      true // page checksums
    )
    writer.start()
    if (keys > 0) {
      writer.startBlock(keys)
      writeColumn(writer, KeySchema.Key, keys)(_.ofKeys)
      writeColumn(writer, KeySchema.RowGroup, entries)(_.ofRowGroups)
      writer.endBlock()
    }
    val indexOffset = file.length
    file.restart()
    writer.end(new HashMap[String, String])
    StoredPart(
      name,
      file.length,
      indexOffset,
      file.checksum,
      keys,
      entries,
      firstKey,
      math.max(0, lastKey))
  }

  private def writeColumn(writer: ParquetFileWriter, column: ColumnDescriptor, values: Long)(
      of: Page => PageColumn): Unit = {
    writer.startColumn(column, values, CompressionCodecName.UNCOMPRESSED)
    pages.foreach { page =>
      val data = of(page)
      writer.writeDataPage(
        data.values,
        data.bytes.size.toInt,
        data.bytes,
        data.statistics,
        page.keys.toLong,
        Encoding.RLE,
        Encoding.RLE,
        Encoding.DELTA_BINARY_PACKED)
    }
    writer.endColumn()
  }

  private def endPage(): Unit = if (!page.isEmpty) {
    pages += page.result()
    page = new PageBuilder
  }
}

private[sbbf] object KeyPartWriter {

  /** Stands for all row groups of the segment. */
  final val Everywhere = -1

  /** The keys of a page, which ends earlier if its keys are in many row groups. */
  final val MostKeys = 4096
  private final val MostEntries = 4 * MostKeys

  private final val Slab = 64 * 1024

  /** That of a file in HDFS. The file has one row group, whatever its size. */
  private final val BlockSize = 128L * 1024 * 1024

  private final case class PageColumn(values: Int, bytes: BytesInput, statistics: Statistics[_])

  private final case class Page(keys: Int, ofKeys: PageColumn, ofRowGroups: PageColumn)

  private final class PageBuilder {
    private val allocator = new HeapByteBufferAllocator
    private val keys = new DeltaBinaryPackingValuesWriterForLong(Slab, Slab, allocator)
    private val rowGroups = new DeltaBinaryPackingValuesWriterForInteger(Slab, Slab, allocator)
    private val repetitions = levels()
    private val definitions = levels()
    private val ofKeys = Statistics.createStats(KeySchema.Key.getPrimitiveType)
    private val ofRowGroups = Statistics.createStats(KeySchema.RowGroup.getPrimitiveType)
    private var numKeys = 0
    private var numEntries = 0

    private def levels() = new RunLengthBitPackingHybridEncoder(1, Slab, Slab, allocator)

    def isEmpty: Boolean = numKeys == 0
    def isFull: Boolean = numKeys == MostKeys || numEntries >= MostEntries

    def add(key: Long, in: Array[Int], from: Int, until: Int): Unit = {
      keys.writeLong(key)
      ofKeys.updateStats(key)
      numKeys += 1
      var i = from
      while (i < until) {
        rowGroups.writeInteger(in(i))
        ofRowGroups.updateStats(in(i))
        repetitions.writeInt(if (i == from) 0 else 1)
        definitions.writeInt(1)
        i += 1
      }
      numEntries += until - from
    }

    def result(): Page = Page(
      numKeys,
      PageColumn(numKeys, copied(keys.getBytes), ofKeys),
      PageColumn(
        numEntries,
        copied(sized(repetitions.toBytes), sized(definitions.toBytes), rowGroups.getBytes),
        ofRowGroups)
    )

    /** Copies bytes that are in buffers of the encoders. */
    private def copied(bytes: BytesInput*): BytesInput = {
      val out = new ByteArrayOutputStream
      bytes.foreach(_.writeAllTo(out))
      BytesInput.from(out.toByteArray)
    }

    /** Levels of data pages of version 1 follow their length (Encodings.md, RLE = 3). */
    private def sized(levels: BytesInput): BytesInput =
      BytesInput.concat(BytesInput.fromInt(levels.size.toInt), levels)
  }
}

/**
 * The schema of a file of keys: one row for each key, with the row groups that hold a value of that
 * key. The pages of both columns hold the same rows.
 */
private[format] object KeySchema {
  val Message: MessageType = MessageTypeParser.parseMessageType("""
    message keys {
      required int64 key;
      repeated int32 row_group;
    }""")

  val Key: ColumnDescriptor = Message.getColumns.get(0)
  val RowGroup: ColumnDescriptor = Message.getColumns.get(1)
}
