package io.sbbf.parquet.chunk

import java.io.ByteArrayInputStream
import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.parquet.crypto.ModuleCipherFactory.ModuleType
import org.apache.parquet.format.{BloomFilterHeader, Util}

import io.sbbf.core.bloom.BloomFilterStats
import io.sbbf.parquet.footer.{FileFooter, RowGroupOffsets}
import io.sbbf.parquet.input.{ChunkModules, FileBytes}
import io.sbbf.parquet.model.{Physical, UnusableFile}

/**
 * Finds, reads and checks the bloom filter of a column chunk (parquet-format, BloomFilter.md).
 */
private[parquet] final class FilterReader(footer: FileFooter) {
  import FilterReader._
  import FilterState._

  /**
   * The filter of a chunk, read in full. Whatever is out of order about it rejects it.
   *
   * @throws java.io.IOException when the file cannot be read
   */
  def read(rowGroup: Int, column: Int, bytes: => FileBytes): FilterState = {
    val chunk = footer.chunk(rowGroup, column)
    val offset = footer.filterOffset(chunk)
    val length = footer.filterLength(chunk)
    if (footer.isUnreadable(chunk)) Rejected(footer.whyUnreadable(chunk).reason)
    else if (offset == 0) Absent
    // parquet-mr makes room for BOOLEAN filters, but never inserts a value
    else if (footer.schema.column(column).columnType.physical == Physical.Bool)
      Rejected("BOOLEAN column")
    else if (offset < RowGroupOffsets.MagicBytes || offset >= footer.footerStart)
      Rejected("offset outside of the file")
    else
      try {
        val state =
          if (length == 0) readUnmeasured(offset, bytes, footer.modules(chunk))
          else readMeasured(offset, length, bytes, footer.modules(chunk))
        state match {
          case Present(_, _, bitset)
              if BloomFilterStats.isAllZero(bitset) && !isAllNull(rowGroup, column) =>
            Rejected("no bit is set")
          case _ => state
        }
      } catch {
        case e: UnusableFilter => Rejected(e.reason)
        case e: UnusableFile => Rejected(e.reason)
      }
  }

  /**
   * How many bytes, from the start of a chunk's filter on, hold it and those of the next row
   * groups that lie close by; 0 if its length is not told.
   *
   * @param isWanted whether the filter of a row group would be asked for too
   */
  def lengthWithNext(rowGroup: Int, column: Int, isWanted: Int => Boolean): Int = {
    val start = footer.filterOffset(footer.chunk(rowGroup, column))
    var end = start
    var isNear = start >= RowGroupOffsets.MagicBytes
    var g = rowGroup
    while (isNear && g < footer.numRowGroups) {
      val chunk = footer.chunk(g, column)
      val (offset, length) = (footer.filterOffset(chunk), footer.filterLength(chunk))
      isNear = length > 0 && offset + length <= footer.footerStart && offset >= end &&
        offset - end <= MaxGap && offset + length - start <= MaxAhead
      if (isNear && isWanted(g)) end = offset + length
      g += 1
    }
    (end - start).toInt
  }

  /** `bloom_filter_length` is told: header and bitset fill it exactly. */
  private def readMeasured(
      offset: Long,
      length: Int,
      bytes: FileBytes,
      modules: ChunkModules): FilterState = {
    if (length < 0 || offset + length > footer.footerStart ||
      length > modules.size(MaxHeader) + modules.size(MaxBitset))
      throw new UnusableFilter("length lies")
    val raw = bytes.read(offset, length)
    val header = parseHeader(raw, modules)
    if (header.length + modules.size(header.numBytes) != length)
      throw new UnusableFilter("sizes disagree")
    present(offset, header, Arrays.copyOfRange(raw, header.length, length), modules)
  }

  private def readUnmeasured(
      offset: Long,
      bytes: FileBytes,
      modules: ChunkModules): FilterState = {
    val room = footer.footerStart - offset
    val most = modules.size(MaxHeader).toLong
    val header = parseHeader(bytes.read(offset, math.min(room, most).toInt), modules)
    val size = modules.size(header.numBytes)
    if (header.length + size > room) throw new UnusableFilter("longer than the file")
    present(offset, header, bytes.read(offset + header.length, size), modules)
  }

  /** @param module which holds the bitset; it opens to no other number of bytes than its own */
  private def present(
      offset: Long,
      header: Header,
      module: Array[Byte],
      modules: ChunkModules): FilterState =
    Present(offset, header.length, modules.open(ModuleType.BloomFilterBitset, module))

  private def parseHeader(raw: Array[Byte], modules: ChunkModules): Header = {
    val until = math.min(raw.length, modules.size(MaxHeader))
    val header =
      try {
        val struct = modules.struct(ModuleType.BloomFilterHeader, raw, until)
        Header(struct.end, Util.readBloomFilterHeader(new ByteArrayInputStream(struct.thrift)))
      } catch { case NonFatal(_) => throw new UnusableFilter("damaged header") }
    header.refusal.foreach(reason => throw new UnusableFilter(reason))
    header
  }

  private def isAllNull(rowGroup: Int, column: Int): Boolean =
    footer.nullCount(rowGroup, column) == footer.numValues(rowGroup, column)
}

private[parquet] object FilterReader {

  /**
   * Headers are 15 to 18 bytes long today, and new fields may make them longer; parquet-mr fills
   * encrypted ones up to 100.
   */
  private final val MaxHeader = 128

  /** 128 MiB, the largest that parquet-mr and DuckDB read. */
  private final val MaxBitset = 128 * 1024 * 1024

  private final class UnusableFilter(val reason: String) extends Exception(reason)

  private final case class Header(length: Int, fields: BloomFilterHeader) {
    def numBytes: Int = fields.getNumBytes
    def refusal: Option[String] =
      if (!fields.getAlgorithm.isSetBLOCK) Some("unknown algorithm")
      else if (!fields.getHash.isSetXXHASH) Some("unknown hash")
      else if (!fields.getCompression.isSetUNCOMPRESSED) Some("unknown compression")
      else if (numBytes <= 0 || numBytes % 32 != 0) Some("not a whole number of blocks")
      else if (numBytes > MaxBitset) Some("too large")
      else None
  }

  /**
   * Two filters with less than this between them are read at once: a seek of a store costs more.
   */
  private final val MaxGap = 32 * 1024

  /**
   * Filters are read ahead up to here; beyond, one more request costs little beside the bytes.
   */
  private final val MaxAhead = 1024 * 1024
}
