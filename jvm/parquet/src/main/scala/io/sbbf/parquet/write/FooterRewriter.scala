package io.sbbf.parquet.write

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.parquet.format.{
  BloomFilterAlgorithm,
  BloomFilterCompression,
  BloomFilterHash,
  BloomFilterHeader,
  SplitBlockAlgorithm,
  Uncompressed,
  Util,
  XxHash
}

import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.model.UnusableFile

/**
 * Rewrites the end of a Parquet file with bloom filters: the bytes before the footer, then the
 * filters, then the footer that names them. The filters of a column are adjacent, because lookups
 * read them together. All filters are next to the footer, so that one read may fetch both.
 */
private[parquet] object FooterRewriter {
  private val Magic = "PAR1".getBytes(US_ASCII)

  /** The size of the footer's length and the magic bytes after it. */
  private final val Ending = 4 + Magic.length

  /**
   * Returns the bytes that replace the tail, in pieces.
   *
   * @param tail the bytes of a file from `start` to its end, at least its footer
   * @throws UnusableFile if the tail does not end with a complete and unencrypted footer, or if
   *   the footer has no chunk for a filter
   */
  def pieces(tail: Array[Byte], start: Long, filters: Seq[ChunkFilter]): Seq[Array[Byte]] = {
    val footerStart = footerIn(tail)
    Arrays.copyOfRange(tail, 0, footerStart) +:
      appended(footerOf(tail), start + footerStart, filters)
  }

  /**
   * Returns the filters, the footer and the file's ending, in pieces.
   *
   * @param footer a thrift `FileMetaData`
   * @param start the position of the first filter in the file
   * @param others the change to the filter of a row group and column that is not among `filters`
   * @throws UnusableFile if the footer is damaged, or has no chunk for a filter
   */
  def appended(
      footer: Array[Byte],
      start: Long,
      filters: Seq[ChunkFilter],
      others: (Int, Int) => FilterLocation = (_, _) => FilterLocation.Unchanged)
      : Seq[Array[Byte]] = {
    val ordered = filters.sortBy(filter => (filter.column, filter.rowGroup))
    val headers = ordered.map(filter => header(filter.bitset.length))
    val lengths = ordered.zip(headers).map { case (f, header) => header.length + f.bitset.length }
    val offsets = lengths.scanLeft(start)(_ + _)
    val places = ordered.indices
      .map(n => ordered(n).chunk -> FilterLocation.At(offsets(n), lengths(n)))
      .toMap
    var placed = 0
    val patched = FooterPatch.patched(
      footer,
      (rowGroup, column) =>
        places.get((rowGroup, column)).fold(others(rowGroup, column)) { place =>
          placed += 1
          place
        })
    if (placed != filters.size) throw new UnusableFile("no column chunk for a filter")
    if (patched.length > FooterReader.MaxFooter) throw new UnusableFile("footer too large")
    ordered.zip(headers).flatMap { case (f, header) => Seq(header, f.bitset) } ++
      Seq(patched, ending(patched.length))
  }

  /** Returns the footer, a thrift `FileMetaData`. Throws as [[pieces]] does. */
  def footerOf(tail: Array[Byte]): Array[Byte] =
    Arrays.copyOfRange(tail, footerIn(tail), tail.length - Ending)

  /** Returns the position of the footer in a file's last bytes. */
  private def footerIn(tail: Array[Byte]): Int = {
    val end = tail.length - Ending
    if (end < 0 || !Arrays.equals(Arrays.copyOfRange(tail, end + 4, tail.length), Magic))
      throw new UnusableFile("no unencrypted footer at the end of the file")
    val length = ByteBuffer.wrap(tail, end, 4).order(ByteOrder.LITTLE_ENDIAN).getInt
    if (length < 0 || length > end) throw new UnusableFile("invalid footer length")
    end - length
  }

  private def ending(length: Int): Array[Byte] =
    ByteBuffer.allocate(Ending).order(ByteOrder.LITTLE_ENDIAN).putInt(length).put(Magic).array

  private def header(numBytes: Int): Array[Byte] = {
    val out = new ByteArrayOutputStream(18)
    Util.writeBloomFilterHeader(
      new BloomFilterHeader(
        numBytes,
        BloomFilterAlgorithm.BLOCK(new SplitBlockAlgorithm),
        BloomFilterHash.XXHASH(new XxHash),
        BloomFilterCompression.UNCOMPRESSED(new Uncompressed)
      ),
      out
    )
    out.toByteArray
  }
}

/**
 * The bloom filter of a column chunk.
 *
 * @param rowGroup the row group's number in the file
 * @param column the column's number in the file
 */
private[sbbf] final case class ChunkFilter(rowGroup: Int, column: Int, bitset: Array[Byte]) {
  def chunk: (Int, Int) = (rowGroup, column)
}
