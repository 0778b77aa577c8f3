package io.sbbf.core.bloom

/**
 * Inserts into and probes Parquet's split block bloom filters. A filter is a plain bitset: the
 * bytes that follow the filter's header in a file, any whole number of 32-byte blocks, each of
 * eight little-endian 32-bit words. Names and constants are those of the specification
 * (`BloomFilter.md` of github.com/apache/parquet-format, "Technical Approach").
 *
 * A `hash` is the [[XxHash64]] of a value in Parquet's PLAIN encoding. The bitset is the only
 * state. Any number of threads may probe a bitset at the same time. While a thread inserts into a
 * bitset, no other thread may insert into it or rely on its results.
 */
object SplitBlockBloomFilter {

  /** The size of a block: eight words of 32 bits. */
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
   * `filter_insert`: adds `hash` to the filter.
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
   * `filter_check`: returns false only if `hash` was never inserted.
   *
   * @throws IllegalArgumentException if the bitset is not a positive multiple of 32 bytes long
   */
  def mightContain(bitset: Array[Byte], hash: Long): Boolean = {
    checkLength(bitset.length)
    probeChecked(bitset, hash) != 0
  }

  /**
   * Returns a byte of the block that [[mightContain]] checks. A loop over many filters that only
   * calls this loads several blocks at once into the CPU's caches, where probes find them.
   */
  def touch(bitset: Array[Byte], hash: Long): Int = bitset(blockOffset(bitset.length, hash)).toInt

  /**
   * Returns 1 if a bitset of valid length might contain `hash`, else 0. Always reads all eight
   * words: an early exit costs a mispredicted branch per hash.
   */
  private[core] def probeChecked(bitset: Array[Byte], hash: Long): Int = {
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
        s"a bitset's length must be a positive multiple of $BytesPerBlock bytes, not $length")
    }

  /**
   * Returns the offset of the block that the upper half of `hash` selects in a bitset of `length`
   * bytes: `((h >> 32) * z) >> 32` blocks.
   */
  private[sbbf] def blockOffset(length: Int, hash: Long): Int =
    (((hash >>> 32) * (length / BytesPerBlock)) >>> 32).toInt * BytesPerBlock

  /** Returns the bit of a word that the upper five bits of a product select: `1 << (y >> 27)`. */
  private def bit(product: Int): Int = 1 << (product >>> 27)
}
