package io.sbbf.index.zones

import java.util.HashMap
import java.util.zip.CRC32

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
import org.apache.parquet.schema.{MessageType, Types}

import io.sbbf.core.bloom.{BitSlices, SplitBlockBloomFilter}
import io.sbbf.index.format.CheckedFile
import io.sbbf.index.format.StoredZones.{Part, Slab}

/**
 * Writes a file of a slab. It holds the blocks of all filters in memory. Not thread-safe.
 *
 * It writes pages itself: each holds the 256 slices of one block, and all have equal headers, so
 * that the address of a slice follows from its number.
 *
 * @param part the number of the file in the slab
 */
private[sbbf] final class SlabPartWriter(layout: SlabLayout, part: Int) {
  import SlabPartWriter._
  import SplitBlockBloomFilter.BytesPerBlock

  private val blocks =
    Array.fill(layout.blocksOfPart)(
      new Array[Byte](Math.multiplyExact(layout.filters, BytesPerBlock)))
  private val sliceBytes = Slab.sliceBytes(layout.filters)

  /**
   * Adds the blocks of a filter that belong to this file.
   *
   * @param filter the number of the filter in the slab
   */
  def add(filter: Int, piece: Array[Byte]): Unit = {
    require(piece.length == layout.bytesOfPiece)
    blocks.indices.foreach { b =>
      System.arraycopy(piece, b * BytesPerBlock, blocks(b), filter * BytesPerBlock, BytesPerBlock)
    }
  }

  /** @throws java.io.IOException if the file cannot be written */
  def write(path: Path, conf: Configuration): Part = {
    val file = new CheckedFile.Output(path, conf)
    file.closing {
      val writer = new ParquetFileWriter(
        file,
        schema(sliceBytes),
        ParquetFileWriter.Mode.CREATE,
        BlockSize,
        0,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        false // a checksum in a page's header would change its length
      )
      val pages = writePages(writer, file)
      writer.end(metadata)
      val pageBytes = (pages(1) - pages(0)).toInt
      // a different header would move the slices after it
      require(pages.indices.forall(n => pages(n) == pages(0) + n.toLong * pageBytes))
      Part(
        path.getName,
        file.length,
        part * layout.blocksOfPart,
        layout.blocksOfPart,
        pages(0) + pageBytes - BitSlices.Slices * sliceBytes,
        pageBytes)
    }
  }

  /** Writes the only row group, and returns the start of each page and the end of the last one. */
  private def writePages(writer: ParquetFileWriter, file: CheckedFile.Output): Array[Long] = {
    val column = schema(sliceBytes).getColumns.get(0)
    val slices = layout.blocksOfPart.toLong * BitSlices.Slices
    val starts = Array.newBuilder[Long]
    writer.start()
    writer.startBlock(slices)
    writer.startColumn(column, slices, CompressionCodecName.UNCOMPRESSED)
    blocks.foreach { block =>
      starts += file.length
      val page = pageOf(block)
      writer.writeDataPage(
        BitSlices.Slices,
        page.length,
        BytesInput.from(page),
        Statistics.getBuilderForReading(column.getPrimitiveType).build(),
        BitSlices.Slices.toLong,
        Encoding.RLE,
        Encoding.RLE,
        Encoding.PLAIN
      )
    }
    starts += file.length
    writer.endColumn()
    writer.endBlock()
    starts.result()
  }

  private def pageOf(block: Array[Byte]): Array[Byte] = {
    val sliced = BitSlices.slice(block)
    val width = BitSlices.wordsPerSlice(layout.filters)
    val page = new Array[Byte](Math.multiplyExact(BitSlices.Slices, sliceBytes))
    val bits = sliceBytes - Slab.ChecksumBytes
    var s = 0
    while (s < BitSlices.Slices) {
      val at = s * sliceBytes
      var i = 0
      while (i < bits) {
        page(at + i) = (sliced(s * width + i / 8) >>> (8 * (i % 8))).toByte
        i += 1
      }
      putChecksum(page, at, bits)
      s += 1
    }
    page
  }

  private def metadata: HashMap[String, String] = {
    val entries = new HashMap[String, String]
    entries.put("filter_bytes", layout.filterBytes.toString)
    entries.put("filters", layout.filters.toString)
    entries.put("first_block", (part * layout.blocksOfPart).toString)
    entries
  }
}

private[sbbf] object SlabPartWriter {

  /** That of a file in HDFS. The file has one row group, whatever its size. */
  private final val BlockSize = 128L * 1024 * 1024

  private def schema(sliceBytes: Int): MessageType =
    Types
      .buildMessage()
      .addField(Types.required(FIXED_LEN_BYTE_ARRAY).length(sliceBytes).named("slice"))
      .named("slab")

  /** Returns the CRC-32 of the bits of a slice. */
  private[zones] def checksum(bytes: Array[Byte], from: Int, length: Int): Int = {
    val crc = new CRC32
    crc.update(bytes, from, length)
    crc.getValue.toInt
  }

  private def putChecksum(page: Array[Byte], at: Int, bits: Int): Unit = {
    val crc = checksum(page, at, bits)
    (0 until Slab.ChecksumBytes).foreach(i => page(at + bits + i) = (crc >>> (8 * i)).toByte)
  }
}
