package io.sbbf.parquet.values

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

/**
 * Decodes the integers of a page in DELTA_BINARY_PACKED (Encodings.md, DELTA_BINARY_PACKED = 5), all
 * at once. Not thread-safe.
 *
 * parquet-mr's reader loads each byte by itself. This loads eight at once, because a lookup decodes two
 * whole pages of an index for each key.
 *
 * @param page holds the values from `start` to its end
 */
private[sbbf] final class DeltaBinaryPacked(page: Array[Byte], start: Int) {
  import DeltaBinaryPacked._

  private val size = page.length - start
  private val data = {
    val copy = Arrays.copyOfRange(page, start, page.length + Slack)
    ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN)
  }
  private var position = 0

  /**
   * Returns the values. Those of an INT32 column are their lower 32 bits.
   *
   * @param count the number of values
   * @throws RuntimeException if the page is damaged or holds another number of values
   */
  def values(count: Int): Array[Long] = {
    val (blockSize, blockParts) = (unsigned(), unsigned())
    expect(unsigned() == count.toLong && blockParts > 0 && blockParts <= size)
    expect(blockSize > 0 && blockSize <= Int.MaxValue && blockSize % (8 * blockParts) == 0)
    val miniblocks = blockParts.toInt
    val perMiniblock = (blockSize / blockParts).toInt
    val values = new Array[Long](count)
    if (count > 0) values(0) = signed()
    var done = math.min(1, count)
    while (done < count) {
      val least = signed()
      val widths = position
      expect(miniblocks <= size - position)
      position += miniblocks
      var miniblock = 0
      while (miniblock < miniblocks && done < count) {
        val width = data.get(widths + miniblock).toInt
        val bytes = perMiniblock.toLong / 8 * width
        expect(width >= 0 && width <= 64 && position + bytes <= size)
        val until = math.min(count.toLong, done.toLong + perMiniblock).toInt
        if (width <= MostInOneWord) unpack(values, done, until, width, least)
        else unpackWide(values, done, until, width, least)
        done = until
        position += bytes.toInt
        miniblock += 1
      }
    }
    values
  }

  /** Adds up differences of at most 57 bits. The eight bytes from where one begins hold all of it. */
  private def unpack(
      values: Array[Long],
      from: Int,
      until: Int,
      width: Int,
      least: Long): Unit = {
    val mask = (1L << width) - 1
    var value = values(from - 1)
    var bit = 8L * position
    var i = from
    while (i < until) {
      val word = data.getLong((bit >>> 3).toInt)
      value += least + ((word >>> (bit & 7).toInt) & mask)
      values(i) = value
      bit += width
      i += 1
    }
  }

  private def unpackWide(
      values: Array[Long],
      from: Int,
      until: Int,
      width: Int,
      least: Long): Unit = {
    val mask = -1L >>> (64 - width)
    var bit = 8L * position
    var i = from
    while (i < until) {
      val (at, shift) = ((bit >>> 3).toInt, (bit & 7).toInt)
      val low = data.getLong(at) >>> shift
      val word = if (shift == 0) low else low | (data.getLong(at + 8) << (64 - shift))
      values(i) = values(i - 1) + least + (word & mask)
      bit += width
      i += 1
    }
  }

  /** Reads a ULEB128 number. */
  private def unsigned(): Long = {
    var value = 0L
    var shift = 0
    var last = -1
    while (last < 0) {
      expect(position < size && shift < 64)
      last = data.get(position).toInt
      value |= (last & 0x7fL) << shift
      shift += 7
      position += 1
    }
    value
  }

  /** Reads a zigzag ULEB128 number. */
  private def signed(): Long = {
    val value = unsigned()
    (value >>> 1) ^ -(value & 1)
  }
}

private object DeltaBinaryPacked {

  /** A difference that begins in the last byte may take two words, whose other bytes do not matter. */
  private final val Slack = 16

  /** A value begins at one of the eight bits of a byte, and 7 + 57 bits are a word. */
  private final val MostInOneWord = 57

  private def expect(isTrue: Boolean): Unit = require(isTrue, "damaged DELTA_BINARY_PACKED page")
}
