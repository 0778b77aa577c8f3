package io.sbbf.core

/**
 * Parquet's split block bloom filter over a plain bitset: the bytes as a file holds them after
 * the filter's header, any whole number of 32-byte blocks, each of eight little-endian 32-bit
 * words. Names and constants are those of the specification (`BloomFilter.md` of
 * github.com/apache/parquet-format, "Technical Approach").
 *
 * A `hash` is the [[XxHash64]] of a value in Parquet's PLAIN encoding. There is no state beside
 * the bitset. Thread safety: asking is pure, so any number of threads may ask one bitset; while
 * a thread inserts into a bitset, no other thread may insert into it or rely on its answers.
 */
object SplitBlockBloomFilter {

  /** Eight words of 32 bits. */
  final val BytesPerBlock = 32

  // `salt[0]` to `salt[7]` of the specification: one odd multiplier for each word of a block.
  private final val Salt0 = 0x47b6137b
  private final val Salt1 = 0x44974d91
  private final val Salt2 = 0x8824ad5b
  private final val Salt3 = 0xa2b7289d
  private final val Salt4 = 0x705495c7
  private final val Salt5 = 0x2df1424b
  private final val Salt6 = 0x9efc4947
  private final val Salt7 = 0x5c6bfb31

  /**
   * `filter_insert`: from now on the filter contains `hash`.
   *
   * @throws IllegalArgumentException if the bitset is not a positive multiple of 32 bytes long
   */
  def insert(bitset: Array[Byte], hash: Long): Unit = {
    checkLength(bitset.length)
    val block = blockOffset(bitset.length, hash)
    val key = hash.toInt
    setBit(bitset, block, key * Salt0)
    setBit(bitset, block + 4, key * Salt1)
    setBit(bitset, block + 8, key * Salt2)
    setBit(bitset, block + 12, key * Salt3)
    setBit(bitset, block + 16, key * Salt4)
    setBit(bitset, block + 20, key * Salt5)
    setBit(bitset, block + 24, key * Salt6)
    setBit(bitset, block + 28, key * Salt7)
  }

  /**
   * `filter_check`: false only if `hash` was never inserted.
   *
   * @throws IllegalArgumentException if the bitset is not a positive multiple of 32 bytes long
   */
  def mightContain(bitset: Array[Byte], hash: Long): Boolean =
    mightContain(bitset, 0, bitset.length, hash)

  /**
   * The same for the bitset that fills `length` bytes of `bytes` from `offset` on.
   *
   * @throws IllegalArgumentException if `length` is not a positive multiple of 32
   * @throws IndexOutOfBoundsException if the bitset is not all inside `bytes`
   */
  def mightContain(bytes: Array[Byte], offset: Int, length: Int, hash: Long): Boolean = {
    checkLength(length)
    if (offset < 0 || offset > bytes.length - length) {
      throw new IndexOutOfBoundsException(
        s"offset $offset and length $length reach outside of ${bytes.length} bytes")
    }
    val block = offset + blockOffset(length, hash)
    val key = hash.toInt
    // All eight words are always asked: leaving early costs a mispredicted branch for each hash.
    val bits = bit(bytes, block, key * Salt0) & bit(bytes, block + 4, key * Salt1) &
      bit(bytes, block + 8, key * Salt2) & bit(bytes, block + 12, key * Salt3) &
      bit(bytes, block + 16, key * Salt4) & bit(bytes, block + 20, key * Salt5) &
      bit(bytes, block + 24, key * Salt6) & bit(bytes, block + 28, key * Salt7)
    (bits & 1) != 0
  }

  private[core] def checkLength(length: Int): Unit =
    if (length <= 0 || length % BytesPerBlock != 0) {
      throw new IllegalArgumentException(
        s"a bitset is a positive multiple of $BytesPerBlock bytes long, not $length")
    }

  /** Where the block begins that the upper half of `hash` selects: `((h >> 32) * z) >> 32`. */
  private def blockOffset(length: Int, hash: Long): Int =
    (((hash >>> 32) * (length / BytesPerBlock)) >>> 32).toInt * BytesPerBlock

  // The upper five bits of a product number the bit of its word, `y >> 27`. The word is
  // little-endian, so two of them choose its byte and three the bit of the byte, and no word has
  // to be put together.

  private def setBit(bitset: Array[Byte], word: Int, product: Int): Unit = {
    val at = word + (product >>> 30)
    bitset(at) = (bitset(at) | 1 << (product >>> 27 & 7)).toByte
  }

  /** The bit, as the lowest bit of the result. */
  private def bit(bytes: Array[Byte], word: Int, product: Int): Int =
    bytes(word + (product >>> 30)) >>> (product >>> 27 & 7)
}
