package io.sbbf.core.kernel

import io.sbbf.core.bloom.SplitBlockBloomFilter

/**
 * Runs the loops that determine how long filters take to build and to probe: whole batches over
 * plain arrays. All implementations produce the same bits; [[Kernels]] chooses the one that runs.
 *
 * Hashes are XXH64 with seed 0 of values in Parquet's PLAIN encoding (see [[XxHash64]]). Bitsets
 * are those of [[SplitBlockBloomFilter]]. A method reads the elements from `from` until `until`
 * of its input and allocates nothing per element. It throws exceptions before it writes anything:
 * IndexOutOfBoundsException for a range outside of an array, and IllegalArgumentException for a
 * bitset that is not a positive multiple of 32 bytes long.
 *
 * Thread safety is that of the arrays: any number of threads may probe a bitset while none
 * inserts into it, and one may insert alone.
 */
trait Kernel {

  /** Returns `scalar` or `vector`. */
  def name: String

  /**
   * Writes the hashes of the 8 little-endian bytes of each value, an INT64, to `hashes` from `to`
   * on.
   */
  def hashLongs(values: Array[Long], from: Int, until: Int, hashes: Array[Long], to: Int): Unit

  /**
   * Writes the hashes of the 4 little-endian bytes of each value, an INT32, to `hashes` from `to`
   * on.
   */
  def hashInts(values: Array[Int], from: Int, until: Int, hashes: Array[Long], to: Int): Unit

  /**
   * Writes the hashes of byte strings to `hashes` from `to` on. String `i` has the bytes from
   * `offsets(i)` until `offsets(i + 1)`, at any place and of any length. Offsets ascend.
   */
  def hashBytes(
      bytes: Array[Byte],
      offsets: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit

  /** Adds the hashes to the filter. */
  def insert(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit

  /**
   * Writes to `matches` which of the hashes the filter might contain: bit `(i - from) % 64` of
   * `matches((i - from) / 64)` for hash `i`. Unused bits of the last word become 0.
   */
  def probe(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int,
      matches: Array[Long]): Unit

  /** Returns whether the filter might contain one of the hashes; false for an empty range. */
  def containsAny(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Boolean
}

private[kernel] object Kernel {

  /** The number of hashes whose results share a word of the bitmap. */
  final val BitsPerWord = 64

  def checkHashing(from: Int, until: Int, length: Int, hashes: Array[Long], to: Int): Unit = {
    checkRange(from, until, length)
    if (to < 0 || until - from > hashes.length - to) {
      throw new IndexOutOfBoundsException(
        s"${until - from} hashes from $to on exceed an array of ${hashes.length}")
    }
  }

  def checkStrings(bytes: Array[Byte], offsets: Array[Int], from: Int, until: Int): Unit = {
    var last = 0
    var isAscending = true
    var i = from
    while (i <= until && from < until) {
      isAscending &= offsets(i) >= last
      last = offsets(i)
      i += 1
    }
    if (!isAscending || last > bytes.length) {
      throw new IndexOutOfBoundsException(
        s"offsets $from to $until do not ascend within ${bytes.length} bytes")
    }
  }

  def checkFilter(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit = {
    SplitBlockBloomFilter.checkLength(bitset.length)
    checkRange(from, until, hashes.length)
  }

  def checkMatches(count: Int, matches: Array[Long]): Unit =
    if (count > matches.length.toLong * BitsPerWord) {
      throw new IndexOutOfBoundsException(
        s"$count results do not fit into ${matches.length} words of $BitsPerWord bits")
    }

  private def checkRange(from: Int, until: Int, length: Int): Unit =
    if (from < 0 || until < from || until > length) {
      throw new IndexOutOfBoundsException(
        s"the range $from until $until exceeds $length elements")
    }
}
