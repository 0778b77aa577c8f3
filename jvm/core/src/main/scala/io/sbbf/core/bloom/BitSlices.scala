package io.sbbf.core.bloom

import java.util

/**
 * Slices the blocks that many filters of equal size have at one block number by their bits, and
 * finds the slices that a hash probes. A slice holds the bits of all filters at one of the block's 256 positions: filter
 * `f` in bit `f % 64` of the slice's word `f / 64`. The slices follow each other by position.
 *
 * A hash probes eight positions of its block, so the AND of eight slices is the result for all
 * filters. That reads one byte of memory per filter instead of the 32 bytes of a whole block.
 *
 * All methods are pure.
 */
object BitSlices {
  import SplitBlockBloomFilter._

  /** The number of bit positions of a block. */
  final val Slices = 8 * BytesPerBlock

  private final val Word = 64
  private final val LongsPerBlock = BytesPerBlock / 8

  /** Returns the number of words in a slice of `numFilters` filters. */
  def wordsPerSlice(numFilters: Int): Int = ((numFilters.toLong + Word - 1) / Word).toInt

  /** Returns the number of the block that `hash` selects in filters of `numBlocks` blocks. */
  def blockOf(hash: Long, numBlocks: Int): Int = (((hash >>> 32) * numBlocks) >>> 32).toInt

  /** Returns the positions of a block that `hash` probes: the numbers of its eight slices. */
  def positions(hash: Long): Array[Int] = {
    val key = hash.toInt
    Array(
      key * Salt0 >>> 27,
      32 + (key * Salt1 >>> 27),
      64 + (key * Salt2 >>> 27),
      96 + (key * Salt3 >>> 27),
      128 + (key * Salt4 >>> 27),
      160 + (key * Salt5 >>> 27),
      192 + (key * Salt6 >>> 27),
      224 + (key * Salt7 >>> 27)
    )
  }

  /**
   * Returns the slices of the given blocks.
   *
   * @param blocks the filters' blocks at one block number, one after the other, 32 bytes each
   * @return [[Slices]] times [[wordsPerSlice]] words; bits beyond the last filter are 0
   */
  def slice(blocks: Array[Byte]): Array[Long] = {
    checkLength(blocks.length)
    val numFilters = blocks.length / BytesPerBlock
    val width = wordsPerSlice(numFilters)
    val slices = new Array[Long](Slices * width)
    val square = new Array[Long](Word)
    var word = 0
    while (word < width) {
      val count = math.min(Word, numFilters - word * Word)
      var quarter = 0
      while (quarter < LongsPerBlock) {
        util.Arrays.fill(square, 0L)
        var f = 0
        while (f < count) {
          square(f) =
            LittleEndian.getLong(blocks, (word * Word + f) * BytesPerBlock + 8 * quarter)
          f += 1
        }
        transpose(square)
        var bit = 0
        while (bit < Word) {
          slices((quarter * Word + bit) * width + word) = square(bit)
          bit += 1
        }
        quarter += 1
      }
      word += 1
    }
    slices
  }

  /**
   * Transposes a square of bits: bit `j` of word `i` becomes bit `i` of word `j`. Swaps ever
   * smaller squares (Warren, "Hacker's Delight", section 7-3).
   */
  private def transpose(square: Array[Long]): Unit = {
    var size = Word / 2
    var mask = 0xffffffffL // the lower half of each group of 2 * size bits
    while (size != 0) {
      var i = 0
      while (i < Word) {
        val upper = (square(i) >>> size ^ square(i + size)) & mask
        square(i) ^= upper << size
        square(i + size) ^= upper
        i = (i + size + 1) & ~size
      }
      size >>= 1
      mask ^= mask << size
    }
  }
}
