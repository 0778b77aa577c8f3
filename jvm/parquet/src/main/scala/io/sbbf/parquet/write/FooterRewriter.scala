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
 * The end of a Parquet file with bloom filters in it: whatever stands before the footer stays, then
 * come the filters, then the footer that names them. A column's filters lie side by side, as
 * lookups ask for them, and all of them next to the footer, whose read brings them along.
 */
private[parquet] object FooterRewriter {
  private val Magic = "PAR1".getBytes(US_ASCII)

  /** The footer's length and the magic bytes behind it. */
  private final val Ending = 4 + Magic.length

  /**
   * @param tail the bytes of a file from `start` to its end, at least its footer
   * @return what takes the tail's place, in pieces
   * @throws UnusableFile when the tail does not end with a whole and open footer, or has no chunk
   *   for a filter
   */
  def pieces(tail: Array[Byte], start: Long, filters: Seq[ChunkFilter]): Seq[Array[Byte]] = {
    val footerStart = footerIn(tail)
    Arrays.copyOfRange(tail, 0, footerStart) +:
      appended(footerOf(tail), start + footerStart, filters)
  }

  /**
   * @param footer a thrift `FileMetaData`
   * @param start where in the file the first filter is to stand
   * @param others what becomes of the filter of a row group's column that is not among `filters`
   * @return filters, footer and the file's ending, in pieces
   * @throws UnusableFile when the footer is damaged, or has no chunk for a filter
   */
  def appended(
      footer: Array[Byte],
      start: Long,
      filters: Seq[ChunkFilter],
      others: (Int, Int) => FilterLocation = (_, _) => FilterLocation.LookupCost)
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

  /** The footer, a thrift `FileMetaData`. Throws as [[pieces]] does. */
  def footerOf(tail: Array[Byte]): Array[Byte] =
    Arrays.copyOfRange(tail, footerIn(tail), tail.length - Ending)

  /** Where the footer starts in a file's last bytes. */
  private def footerIn(tail: Array[Byte]): Int = {
    val end = tail.length - Ending
    if (end < 0 || !Arrays.equals(Arrays.copyOfRange(tail, end + 4, tail.length), Magic))
      throw new UnusableFile("no open footer")
    val length = ByteBuffer.wrap(tail, end, 4).order(ByteOrder.LITTLE_ENDIAN).getInt
    if (length < 0 || length > end) throw new UnusableFile("footer longer than the file's end")
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
