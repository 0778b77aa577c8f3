package io.sbbf.core.bloom

/**
 * Computes facts about a bitset whose values are unknown: how full it is, its false positive
 * probability, how many distinct values it holds, and how small or large it could be. All methods
 * are pure. Each throws IllegalArgumentException for a bitset that is not a positive multiple of 32
 * bytes long.
 */
object BloomFilterStats {
  import SplitBlockBloomFilter.{checkLength, BytesPerBlock}

  /**
   * Returns the filter of `numBytes` bytes with the same values, bit for bit as if built at that
   * size. A block's number is the scaled upper half of the hash, so a group of adjacent blocks
   * becomes one block.
   *
   * @return a new array
   * @throws IllegalArgumentException unless both sizes are powers of two and `numBytes` is not
   *   the larger one
   */
  def fold(bitset: Array[Byte], numBytes: Int): Array[Byte] = {
    checkFoldable(bitset.length)
    checkFoldable(numBytes)
    if (numBytes > bitset.length) {
      throw new IllegalArgumentException(
        s"a bitset of ${bitset.length} bytes cannot be folded to $numBytes bytes")
    }
    val folded = new Array[Byte](numBytes)
    val halvings = Integer.numberOfTrailingZeros(bitset.length / numBytes)
    var block = 0
    while (block < bitset.length / BytesPerBlock) {
      orBlock(bitset, block * BytesPerBlock, folded, (block >> halvings) * BytesPerBlock)
      block += 1
    }
    folded
  }

  /**
   * Returns a filter of `numBytes` bytes that reports the same values: every block is there several
   * times. It is no better than the smaller one, which [[fold]] returns from it.
   *
   * @return a new array, or `bitset` itself if it has that size
   * @throws IllegalArgumentException unless both sizes are powers of two and `numBytes` is not
   *   the smaller one
   */
  def widen(bitset: Array[Byte], numBytes: Int): Array[Byte] = {
    checkFoldable(bitset.length)
    checkFoldable(numBytes)
    if (numBytes < bitset.length) {
      throw new IllegalArgumentException(
        s"a bitset of ${bitset.length} bytes cannot be widened to $numBytes bytes")
    }
    if (numBytes == bitset.length) bitset
    else {
      val wide = new Array[Byte](numBytes)
      val doublings = Integer.numberOfTrailingZeros(numBytes / bitset.length)
      var block = 0
      while (block < numBytes / BytesPerBlock) {
        val from = (block >> doublings) * BytesPerBlock
        System.arraycopy(bitset, from, wide, block * BytesPerBlock, BytesPerBlock)
        block += 1
      }
      wide
    }
  }

  /** Returns the share of set bits, 0 to 1. */
  def fillRatio(bitset: Array[Byte]): Double = {
    checkLength(bitset.length)
    var set = 0L
    var at = 0
    while (at < bitset.length) {
      set += java.lang.Long.bitCount(LittleEndian.getLong(bitset, at))
      at += 8
    }
    set / (8.0 * bitset.length)
  }

  /**
   * Returns the probability that the filter reports a value that it does not hold. A block
   * reports a value if all of its words have the probed bit set, and every block is probed
   * equally often. Unlike the eighth power of the fill ratio, this accounts for blocks that are
   * fuller than others and cause most false positives.
   */
  def effectiveFpp(bitset: Array[Byte]): Double = {
    checkLength(bitset.length)
    var sum = 0.0
    var block = 0
    while (block < bitset.length) {
      var product = 1L // at most 32^8
      var word = block
      while (word < block + BytesPerBlock) {
        product *= Integer.bitCount(LittleEndian.getInt(bitset, word))
        word += 4
      }
      sum += product
      block += BytesPerBlock
    }
    sum / math.pow(32, 8) / (bitset.length / BytesPerBlock)
  }

  /**
   * Estimates the number of distinct values by the fill ratio: `n = -32 blocks ln(1 - fill)`,
   * from the mean fill `1 - e^(-n / (32 blocks))` of Poisson loads. Returns `Long.MaxValue` for a
   * filter with every bit set.
   */
  def distinctEstimate(bitset: Array[Byte]): Long =
    math.round(-math.log1p(-fillRatio(bitset)) * bitset.length)

  /**
   * Returns whether nothing was ever inserted. A writer that leaves a filter over non-null values
   * empty has a bug.
   */
  def isAllZero(bitset: Array[Byte]): Boolean = {
    checkLength(bitset.length)
    var at = 0
    while (at < bitset.length && bitset(at) == 0) at += 1
    at == bitset.length
  }

  private def orBlock(source: Array[Byte], from: Int, target: Array[Byte], to: Int): Unit = {
    var at = 0
    while (at < BytesPerBlock) {
      LittleEndian.orLong(target, to + at, LittleEndian.getLong(source, from + at))
      at += 8
    }
  }

  private def checkFoldable(length: Int): Unit = {
    checkLength(length)
    if (Integer.bitCount(length) != 1) {
      throw new IllegalArgumentException(
        s"only powers of two of bytes can be folded, not $length")
    }
  }
}
