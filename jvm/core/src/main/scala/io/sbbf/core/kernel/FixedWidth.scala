package io.sbbf.core.kernel

import java.lang.Long.rotateLeft
import java.util

import io.sbbf.core.bloom.XxHash64
import io.sbbf.core.bloom.XxHash64._

/**
 * Computes XXH64 of many byte strings of one width at once. Steps 1 to 5 process one word of all
 * strings before the next word. Collecting the strings' words is scalar work; [[VectorKernel]]
 * does the arithmetic on them.
 */
private[kernel] object FixedWidth {

  /**
   * The number of strings at once. Their words and the four accumulators of step 1 stay in the
   * nearest cache.
   */
  final val Tile = 256

  /**
   * The widest strings, in bytes. Collecting each word from string to string is slower than
   * hashing one string after the other when a tile of them outgrows the nearest cache by much.
   */
  final val MaxWidth = 128

  /**
   * Returns an array for [[mix]]: a tile of words, then a tile of each of the four accumulators.
   */
  def scratch(): Array[Long] = new Array[Long](5 * Tile)

  /**
   * Returns whether the strings from `from` until `until` lie end to end in `length` bytes,
   * `width` bytes each.
   */
  def isEven(offsets: Array[Int], from: Int, until: Int, width: Int, length: Int): Boolean = {
    var difference = 0
    var i = from
    while (i < until) {
      difference |= offsets(i + 1) - offsets(i) ^ width
      i += 1
    }
    difference == 0 && offsets(from) >= 0 &&
    offsets(from) + (until - from).toLong * width <= length
  }

  /**
   * Writes the input of step 6 to `hashes` from `to` on, for `count` strings from `offset` on.
   *
   * @param count a multiple of 8 and at most [[Tile]]
   */
  def mix(
      bytes: Array[Byte],
      offset: Int,
      width: Int,
      count: Int,
      scratch: Array[Long],
      hashes: Array[Long],
      to: Int): Unit = {
    val stripesEnd = width / StripeBytes * StripeBytes
    if (stripesEnd == 0) util.Arrays.fill(hashes, to, to + count, Prime5 + width)
    else consume(bytes, offset, width, stripesEnd, count, scratch, hashes, to)
    var at = stripesEnd
    while (width - at >= 8) {
      collectLongs(bytes, offset + at, width, count, scratch)
      VectorKernel.mixRound(hashes, to, scratch, 0, count, 27)
      at += 8
    }
    if (width - at >= 4) {
      collectInts(bytes, offset + at, width, count, scratch)
      VectorKernel.mixShort(hashes, to, scratch, count, Prime1, 23, Prime2, Prime3)
      at += 4
    }
    while (at < width) {
      collectBytes(bytes, offset + at, width, count, scratch)
      VectorKernel.mixShort(hashes, to, scratch, count, Prime5, 11, Prime1, 0)
      at += 1
    }
  }

  /** Runs steps 1 to 4. */
  private def consume(
      bytes: Array[Byte],
      offset: Int,
      width: Int,
      stripesEnd: Int,
      count: Int,
      scratch: Array[Long],
      hashes: Array[Long],
      to: Int): Unit = {
    util.Arrays.fill(scratch, Tile, 2 * Tile, Prime1 + Prime2)
    util.Arrays.fill(scratch, 2 * Tile, 3 * Tile, Prime2)
    util.Arrays.fill(scratch, 3 * Tile, 4 * Tile, 0L)
    util.Arrays.fill(scratch, 4 * Tile, 5 * Tile, -Prime1)
    var at = 0
    while (at < stripesEnd) {
      collectLongs(bytes, offset + at, width, count, scratch)
      VectorKernel.addRound(scratch, (1 + at / 8 % 4) * Tile, count)
      at += 8
    }
    converge(scratch, count, hashes, to)
    var lane = 1
    while (lane <= 4) {
      VectorKernel.mixRound(hashes, to, scratch, lane * Tile, count, 0)
      lane += 1
    }
    addLength(hashes, to, count, width)
  }

  private def converge(scratch: Array[Long], count: Int, hashes: Array[Long], to: Int): Unit = {
    var i = 0
    while (i < count) {
      hashes(to + i) = rotateLeft(scratch(Tile + i), 1) + rotateLeft(scratch(2 * Tile + i), 7) +
        rotateLeft(scratch(3 * Tile + i), 12) + rotateLeft(scratch(4 * Tile + i), 18)
      i += 1
    }
  }

  private def addLength(hashes: Array[Long], to: Int, count: Int, length: Int): Unit = {
    var i = to
    while (i < to + count) {
      hashes(i) += length
      i += 1
    }
  }

  private def collectLongs(
      bytes: Array[Byte],
      offset: Int,
      width: Int,
      count: Int,
      words: Array[Long]): Unit = {
    var i = 0
    while (i < count) {
      words(i) = XxHash64.long(bytes, offset + i * width)
      i += 1
    }
  }

  private def collectInts(
      bytes: Array[Byte],
      offset: Int,
      width: Int,
      count: Int,
      words: Array[Long]): Unit = {
    var i = 0
    while (i < count) {
      words(i) = XxHash64.unsignedInt(bytes, offset + i * width)
      i += 1
    }
  }

  private def collectBytes(
      bytes: Array[Byte],
      offset: Int,
      width: Int,
      count: Int,
      words: Array[Long]): Unit = {
    var i = 0
    while (i < count) {
      words(i) = bytes(offset + i * width) & 0xff
      i += 1
    }
  }
}
