package io.sbbf.parquet.chunk

import java.io.ByteArrayInputStream
import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.parquet.crypto.ModuleCipherFactory.ModuleType
import org.apache.parquet.format.{BloomFilterHeader, Util}

import io.sbbf.core.bloom.{BloomFilterStats, SplitBlockBloomFilter}
import io.sbbf.parquet.footer.{FileFooter, FilterExtents, RowGroupOffsets}
import io.sbbf.parquet.input.{ChunkModules, FileBytes}
import io.sbbf.parquet.model.{Physical, UnusableFile}

/**
 * Finds, reads and checks the bloom filter of a column chunk (parquet-format, BloomFilter.md).
 */
private[parquet] final class FilterReader(footer: FileFooter) {
  import FilterReader._
  import FilterState._

  /**
   * Returns the filter of a chunk, read in full. Rejects a filter that fails any check.
   *
   * @throws java.io.IOException if the file cannot be read
   */
  def read(rowGroup: Int, column: Int, bytes: => FileBytes): FilterState =
    withoutReading(rowGroup, column).getOrElse {
      try readWhole(rowGroup, column, bytes)
      catch {
        case e: UnusableFilter => Rejected(e.reason)
        case e: UnusableFile => Rejected(e.reason)
      }
    }

  /** Returns whether [[probe]] reads less than the whole filter. */
  def canProbe(rowGroup: Int, column: Int): Boolean = {
    val chunk = footer.chunk(rowGroup, column)
    footer.filterLength(chunk) >= MinProbed &&
    (footer.modules(chunk) eq ChunkModules.Plain) && withoutReading(rowGroup, column).isEmpty
  }

  /**
   * Returns whether a filter might hold one of a few hashes. Reads only the header, and a slice
   * around the block of each hash. Returns None if the header is invalid, or if no slice has a bit:
   * only the whole filter shows whether it was ever filled.
   *
   * @throws java.io.IOException if the file cannot be read
   */
  def probe(
      rowGroup: Int,
      column: Int,
      hashes: Array[Long],
      bytes: => FileBytes): Option[Boolean] =
    try {
      val chunk = footer.chunk(rowGroup, column)
      val (offset, length) = (footer.filterOffset(chunk), footer.filterLength(chunk))
      checkLength(offset, length)
      val header = headerOf(chunk, bytes.read(offset, MaxHeader), ChunkModules.Plain)
      val start = offset + header.length
      var hasBit = false
      // a derived length may be far above that of a small filter
      if (header.numBytes < SliceBytes) None
      else {
        val mightHold = hashes.exists { hash =>
          val read = slice(hash, start, header.numBytes, bytes)
          hasBit ||= read.hasBit
          read.mightHold
        }
        if (mightHold || hasBit) Some(mightHold) else None
      }
    } catch { case _: UnusableFilter => None }

  private def slice(hash: Long, start: Long, numBytes: Int, bytes: FileBytes): Slice = {
    val block = SplitBlockBloomFilter.blockOffset(numBytes, hash)
    val from = math.min(block / SliceBytes * SliceBytes, numBytes - SliceBytes)
    val read = bytes.read(start + from, SliceBytes)
    val probed =
      Arrays.copyOfRange(read, block - from, block - from + SplitBlockBloomFilter.BytesPerBlock)
    Slice(
      hasBit = !BloomFilterStats.isAllZero(read),
      mightHold = SplitBlockBloomFilter.mightContain(probed, hash))
  }

  /** Returns the state of a chunk without a filter that could be valid, and otherwise None. */
  private def withoutReading(rowGroup: Int, column: Int): Option[FilterState] = {
    val chunk = footer.chunk(rowGroup, column)
    val offset = footer.filterOffset(chunk)
    if (footer.isUnreadable(chunk)) Some(Rejected(footer.whyUnreadable(chunk).reason))
    else if (offset == 0) Some(Absent)
    // parquet-mr allocates filters of BOOLEAN columns, but never inserts a value
    else if (footer.schema.column(column).columnType.physical == Physical.Bool)
      Some(Rejected("BOOLEAN column"))
    // parquet-mr writes the filter of one of them for both
    else if (footer.schema.hasTwin(column))
      Some(Rejected("another column has the same dotted path"))
    else if (footer.hasFaultyFilter(chunk)) Some(Rejected("faulty writer"))
    else if (offset < RowGroupOffsets.MagicBytes || offset >= footer.footerStart)
      Some(Rejected("offset outside of the file"))
    else None
  }

  private def readWhole(rowGroup: Int, column: Int, bytes: => FileBytes): FilterState = {
    val chunk = footer.chunk(rowGroup, column)
    val (offset, length) = (footer.filterOffset(chunk), footer.filterLength(chunk))
    val modules = footer.modules(chunk)
    checkLength(offset, length)
    val state =
      if (length > 0 && length <= mostAtOnce(chunk)) {
        val raw = bytes.read(offset, length)
        val header = headerOf(chunk, raw, modules)
        val end = header.length + modules.size(header.numBytes)
        present(offset, header, Arrays.copyOfRange(raw, header.length, end), modules)
      } else {
        val available = footer.footerStart - offset
        val most = math.min(available, modules.size(MaxHeader).toLong).toInt
        val header = headerOf(chunk, bytes.read(offset, most), modules)
        val size = modules.size(header.numBytes)
        if (header.length + size > available) throw new UnusableFilter("longer than the file")
        present(offset, header, bytes.read(offset + header.length, size), modules)
      }
    state match {
      case Present(_, _, bitset)
          if BloomFilterStats.isAllZero(bitset) && !footer.isAllNull(rowGroup, column) =>
        Rejected("no bit is set")
      case _ => state
    }
  }

  /**
   * Returns the length of one read that takes a chunk's filter and nearby filters of the next row
   * groups. Returns 0 if the length of the filter is missing or invalid.
   *
   * @param isWanted whether the filter of a row group would be probed
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

  /** Returns the greatest length of a filter that is read without looking at its header first. */
  private def mostAtOnce(chunk: Int): Int =
    if (footer.isFilterLengthExact(chunk)) MaxHeader + MaxBitset else 2 * MaxAhead

  private def checkLength(offset: Long, length: Int): Unit =
    if (length < 0 || offset + length > footer.footerStart)
      throw new UnusableFilter("invalid length")

  /**
   * Parses the header of a filter, and checks its size. Header and bitset fill a stated length
   * exactly, and at most a derived one. If a filter of parquet-mr would fill a derived length exactly,
   * a header that claims less is damaged.
   */
  private def headerOf(chunk: Int, raw: Array[Byte], modules: ChunkModules): Header = {
    val length = footer.filterLength(chunk)
    val header = parseHeader(raw, modules)
    val end = header.length + modules.size(header.numBytes)
    val mayBeShorter = !footer.isFilterLengthExact(chunk) && !FilterExtents.isOfParquetMr(length)
    val fits = end == length || end < length && mayBeShorter
    if (length > 0 && !fits) throw new UnusableFilter("sizes disagree")
    header
  }

  /** @param module the module of the bitset, whose length determines the bitset's length */
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
}

private[parquet] object FilterReader {

  /**
   * Limits the length of a header. Headers have 15 to 18 bytes today, and new fields may make them
   * longer. parquet-mr pads encrypted ones to 100 bytes.
   */
  private final val MaxHeader = 128

  /** The bytes of a filter that are read for one hash: a page of most file systems. */
  private final val SliceBytes = 4096

  /** 128 MiB, the largest bitset that parquet-mr and DuckDB read. */
  private final val MaxBitset = 128 * 1024 * 1024

  /** Whether a slice of a filter has a bit, and whether its block might hold the hash. */
  private final case class Slice(hasBit: Boolean, mightHold: Boolean)

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
   * Limits the gap between two filters that are read together. A seek of a store costs more than
   * the bytes of the gap.
   */
  private final val MaxGap = 32 * 1024

  /**
   * Limits the length of a read-ahead. Beyond it, one more request costs little compared with the
   * bytes.
   */
  private final val MaxAhead = 1024 * 1024

  /**
   * The least length of a filter that is probed in slices. Of shorter ones, several share a
   * read-ahead, which costs less than two reads for each.
   */
  private final val MinProbed = MaxAhead / 2
}
