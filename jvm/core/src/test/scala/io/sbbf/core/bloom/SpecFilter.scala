package io.sbbf.core.bloom

import java.nio.{ByteBuffer, ByteOrder}

/**
 * Implements the specification's pseudocode word by word, as the plain twin of the real filter.
 */
final class SpecFilter(numBlocks: Int) {
  private val salt = Array(0x47b6137bL, 0x44974d91L, 0x8824ad5bL, 0xa2b7289dL, 0x705495c7L,
    0x2df1424bL, 0x9efc4947L, 0x5c6bfb31L)
  private val blocks = Array.fill(numBlocks, 8)(0L)

  def insert(x: Long): Unit = {
    val b = blocks(blockNumber(x))
    for (i <- 0 until 8) b(i) |= mask(x, i)
  }

  def check(x: Long): Boolean = {
    val b = blocks(blockNumber(x))
    (0 until 8).forall(i => (b(i) & mask(x, i)) != 0)
  }

  def bytes: Array[Byte] = {
    val buffer = ByteBuffer.allocate(numBlocks * 32).order(ByteOrder.LITTLE_ENDIAN)
    blocks.foreach(_.foreach(word => buffer.putInt(word.toInt)))
    buffer.array
  }

  private def blockNumber(x: Long): Int = {
    val hTopBits = BigInt(x >>> 32)
    (hTopBits * numBlocks >> 32).toInt
  }

  private def mask(x: Long, i: Int): Long = {
    val y = (x & 0xffffffffL) * salt(i) & 0xffffffffL
    1L << (y >> 27)
  }
}
