package io.sbbf.core.bloom

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
  private[core] final val Salt0 = 0x47b6137b
  private[core] final val Salt1 = 0x44974d91
  private[core] final val Salt2 = 0x8824ad5b
  private[core] final val Salt3 = 0xa2b7289d
  private[core] final val Salt4 = 0x705495c7
  private[core] final val Salt5 = 0x2df1424b
  private[core] final val Salt6 = 0x9efc4947
  private[core] final val Salt7 = 0x5c6bfb31

  /**
   * `filter_insert`: from now on the filter contains `hash`.
   *
   * @throws IllegalArgumentException if the bitset is not a positive multiple of 32 bytes long
   */
  def insert(bitset: Array[Byte], hash: Long): Unit = {
    checkLength(bitset.length)
    insertChecked(bitset, hash)
  }

  private[core] def insertChecked(bitset: Array[Byte], hash: Long): Unit = {
    val block = blockOffset(bitset.length, hash)
    val key = hash.toInt
    LittleEndian.orInt(bitset, block, bit(key * Salt0))
    LittleEndian.orInt(bitset, block + 4, bit(key * Salt1))
    LittleEndian.orInt(bitset, block + 8, bit(key * Salt2))
    LittleEndian.orInt(bitset, block + 12, bit(key * Salt3))
    LittleEndian.orInt(bitset, block + 16, bit(key * Salt4))
    LittleEndian.orInt(bitset, block + 20, bit(key * Salt5))
    LittleEndian.orInt(bitset, block + 24, bit(key * Salt6))
    LittleEndian.orInt(bitset, block + 28, bit(key * Salt7))
  }

  /**
   * `filter_check`: false only if `hash` was never inserted.
   *
   * @throws IllegalArgumentException if the bitset is not a positive multiple of 32 bytes long
   */
  def mightContain(bitset: Array[Byte], hash: Long): Boolean = {
    checkLength(bitset.length)
    answer(bitset, hash) != 0
  }

  /**
   * 1 if a bitset of a good length might contain `hash`, else 0. All eight words are always asked:
   * leaving early costs a mispredicted branch for each hash.
   */
  private[core] def answer(bitset: Array[Byte], hash: Long): Int = {
    val block = blockOffset(bitset.length, hash)
    val key = hash.toInt
    val bits = LittleEndian.getInt(bitset, block) >>> (key * Salt0 >>> 27) &
      LittleEndian.getInt(bitset, block + 4) >>> (key * Salt1 >>> 27) &
      LittleEndian.getInt(bitset, block + 8) >>> (key * Salt2 >>> 27) &
      LittleEndian.getInt(bitset, block + 12) >>> (key * Salt3 >>> 27) &
      LittleEndian.getInt(bitset, block + 16) >>> (key * Salt4 >>> 27) &
      LittleEndian.getInt(bitset, block + 20) >>> (key * Salt5 >>> 27) &
      LittleEndian.getInt(bitset, block + 24) >>> (key * Salt6 >>> 27) &
      LittleEndian.getInt(bitset, block + 28) >>> (key * Salt7 >>> 27)
    bits & 1
  }

  private[core] def checkLength(length: Int): Unit =
    if (length <= 0 || length % BytesPerBlock != 0) {
      throw new IllegalArgumentException(
        s"a bitset is a positive multiple of $BytesPerBlock bytes long, not $length")
    }

  /** Where the block begins that the upper half of `hash` selects: `((h >> 32) * z) >> 32`. */
  private[core] def blockOffset(length: Int, hash: Long): Int =
    (((hash >>> 32) * (length / BytesPerBlock)) >>> 32).toInt * BytesPerBlock

  /** The bit of a word that the upper five bits of a product number: `1 << (y >> 27)`. */
  private def bit(product: Int): Int = 1 << (product >>> 27)
}
