package io.sbbf.core.bloom

import scala.annotation.tailrec

/**
 * What a bitset tells about itself, with nothing known about what was inserted: how full it is,
 * how often it lies, how many distinct values it took, and how small it could be. All methods
 * are pure; each throws IllegalArgumentException for a bitset that is not a positive multiple of
 * 32 bytes long.
 */
object BloomFilterStats {
  import SplitBlockBloomFilter.{checkLength, BytesPerBlock}

  /**
   * The filter of `numBytes` bytes that holds what this one holds, bit for bit as if built at
   * that size: a block's number is the upper half of the hash, scaled, so that a group of
   * adjacent blocks becomes one.
   *
   * @return a new array
   * @throws IllegalArgumentException unless both are powers of two, `numBytes` not the larger
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
   * Makes `target` the filter of what either holds.
   *
   * @throws IllegalArgumentException unless both are equally long; [[fold]] the larger one first
   */
  def union(target: Array[Byte], source: Array[Byte]): Unit = {
    checkLength(target.length)
    if (source.length != target.length) {
      throw new IllegalArgumentException(
        s"a bitset of ${source.length} bytes cannot be united with one of ${target.length} bytes")
    }
    var at = 0
    while (at < target.length) {
      target(at) = (target(at) | source(at)).toByte
      at += 1
    }
  }

  /**
   * The smallest fold whose [[effectiveFpp]] is at most `fpp`; `bitset` itself, not a copy, if
   * no fold is. A filter that misses `fpp` is returned as it is: folding only ever adds false
   * positives.
   *
   * @throws IllegalArgumentException if the size is no power of two or `fpp` not within (0, 1)
   */
  @tailrec
  def foldTo(bitset: Array[Byte], fpp: Double): Array[Byte] = {
    checkFoldable(bitset.length)
    FilterSizing.checkFpp(fpp)
    if (bitset.length == BytesPerBlock) bitset
    else {
      val half = fold(bitset, bitset.length / 2)
      if (effectiveFpp(half) > fpp) bitset else foldTo(half, fpp)
    }
  }

  /** The share of bits that are set, 0 to 1. */
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
   * The probability that the filter reports a value it does not hold: a block lies if all of its
   * words have the bit asked for set, and every block is asked equally often. Unlike the eighth
   * power of the fill ratio it sees blocks that are fuller than others, which cause most false
   * positives.
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
   * How many distinct values were inserted, by the fill ratio: `n = -32 blocks ln(1 - fill)`,
   * from the mean fill `1 - e^(-n / (32 blocks))` of Poisson loads. `Long.MaxValue` for a filter
   * with every bit set.
   */
  def distinctEstimate(bitset: Array[Byte]): Long =
    math.round(-math.log1p(-fillRatio(bitset)) * bitset.length)

  /**
   * Whether nothing was ever inserted. Over non-null values that is no filter but a writer's
   * fault.
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
