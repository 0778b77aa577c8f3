package io.sbbf.core.bloom

import java.util

/**
 * Stores and probes the blocks that many filters of equal size have at one block number,
 * bit-sliced. A slice holds the bits of all filters at one of the block's 256 positions: filter
 * `f` in bit `f % 64` of the slice's word `f / 64`. The slices follow each other by position.
 *
 * A hash probes eight positions of its block, so the AND of eight slices is the result for all
 * filters. That reads one byte of memory per filter instead of the 32 bytes of a whole block.
 *
 * All methods are pure, except that they write to the arrays passed for results. For arrays that
 * are too short they throw IndexOutOfBoundsException before they write.
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

  /** Returns the blocks from which [[slice]] made the slices. */
  def blocks(slices: Array[Long], numFilters: Int): Array[Byte] = {
    val width = wordsPerSlice(numFilters)
    checkSlices(slices, width)
    val blocks = new Array[Byte](Math.multiplyExact(numFilters, BytesPerBlock))
    val square = new Array[Long](Word)
    var word = 0
    while (word < width) {
      val count = math.min(Word, numFilters - word * Word)
      var quarter = 0
      while (quarter < LongsPerBlock) {
        var bit = 0
        while (bit < Word) {
          square(bit) = slices((quarter * Word + bit) * width + word)
          bit += 1
        }
        transpose(square)
        var f = 0
        while (f < count) {
          LittleEndian.orLong(blocks, (word * Word + f) * BytesPerBlock + 8 * quarter, square(f))
          f += 1
        }
        quarter += 1
      }
      word += 1
    }
    blocks
  }

  /**
   * Writes to `matches` which of the filters might contain `hash`: bit `f % 64` of
   * `matches(f / 64)` for filter `f`. The slices must have the hash's block number.
   */
  def probe(slices: Array[Long], numFilters: Int, hash: Long, matches: Array[Long]): Unit = {
    val width = wordsPerSlice(numFilters)
    checkSlices(slices, width)
    if (matches.length < width) {
      throw new IndexOutOfBoundsException(
        s"$numFilters results do not fit into ${matches.length} words of $Word bits")
    }
    val key = hash.toInt
    val s0 = (key * Salt0 >>> 27) * width
    val s1 = (32 + (key * Salt1 >>> 27)) * width
    val s2 = (64 + (key * Salt2 >>> 27)) * width
    val s3 = (96 + (key * Salt3 >>> 27)) * width
    val s4 = (128 + (key * Salt4 >>> 27)) * width
    val s5 = (160 + (key * Salt5 >>> 27)) * width
    val s6 = (192 + (key * Salt6 >>> 27)) * width
    val s7 = (224 + (key * Salt7 >>> 27)) * width
    var i = 0
    while (i < width) {
      matches(i) = slices(s0 + i) & slices(s1 + i) & slices(s2 + i) & slices(s3 + i) &
        slices(s4 + i) & slices(s5 + i) & slices(s6 + i) & slices(s7 + i)
      i += 1
    }
  }

  private def checkSlices(slices: Array[Long], width: Int): Unit =
    if (width <= 0 || slices.length != Slices.toLong * width) {
      throw new IndexOutOfBoundsException(
        s"${slices.length} words are not $Slices slices of $width words")
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
