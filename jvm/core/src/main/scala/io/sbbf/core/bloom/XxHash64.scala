package io.sbbf.core.bloom

import java.lang.Long.rotateLeft

/**
 * Computes XXH64 with seed 0, the only hash of Parquet's bloom filters. Follows the xxHash
 * specification (`doc/xxhash_spec.md` of github.com/Cyan4973/xxHash, "XXH64 algorithm
 * description"); the steps below have its names. Every result is an unsigned 64-bit number in a
 * `Long`. All methods are pure, allocate nothing and are safe to call from any thread.
 */
object XxHash64 {

  // The five primes of the specification.
  private[core] final val Prime1 = 0x9e3779b185ebca87L
  private[core] final val Prime2 = 0xc2b2ae3d27d4eb4fL
  private[core] final val Prime3 = 0x165667b19e3779f9L
  private[core] final val Prime4 = 0x85ebca77c2b2ae63L
  private[core] final val Prime5 = 0x27d4eb2f165667c5L

  private[core] final val StripeBytes = 32

  /**
   * Returns the hash of the 4 little-endian bytes of `v`, Parquet's PLAIN encoding of an INT32.
   */
  def hashInt(v: Int): Long = avalanche(mixInt(Prime5 + 4, v))

  /**
   * Returns the hash of the 8 little-endian bytes of `v`, Parquet's PLAIN encoding of an INT64.
   */
  def hashLong(v: Long): Long = avalanche(mixLong(Prime5 + 8, v))

  def hashBytes(bytes: Array[Byte]): Long = hashBytes(bytes, 0, bytes.length)

  /**
   * Returns the hash of `length` bytes from `offset` on.
   *
   * @throws IndexOutOfBoundsException if they are not all inside `bytes`
   */
  def hashBytes(bytes: Array[Byte], offset: Int, length: Int): Long = {
    if (offset < 0 || length < 0 || offset > bytes.length - length) {
      throw new IndexOutOfBoundsException(
        s"offset $offset and length $length exceed an array of ${bytes.length} bytes")
    }
    hashRange(bytes, offset, offset + length)
  }

  /** Returns the hash of the bytes from `from` until `until`, without a check of the range. */
  private[core] def hashRange(bytes: Array[Byte], from: Int, until: Int): Long = {
    val length = until - from
    val stripesEnd = from + length / StripeBytes * StripeBytes
    val accumulator = if (length < StripeBytes) Prime5 else consume(bytes, from, stripesEnd)
    avalanche(mixRest(accumulator + length, bytes, stripesEnd, until))
  }

  /** Steps 1 to 3: four accumulators consume the four lanes of every stripe and then converge. */
  private def consume(bytes: Array[Byte], from: Int, until: Int): Long = {
    var acc1 = Prime1 + Prime2
    var acc2 = Prime2
    var acc3 = 0L
    var acc4 = -Prime1
    var at = from
    while (at < until) {
      acc1 = round(acc1, LittleEndian.getLong(bytes, at))
      acc2 = round(acc2, LittleEndian.getLong(bytes, at + 8))
      acc3 = round(acc3, LittleEndian.getLong(bytes, at + 16))
      acc4 = round(acc4, LittleEndian.getLong(bytes, at + 24))
      at += StripeBytes
    }
    val sum =
      rotateLeft(acc1, 1) + rotateLeft(acc2, 7) + rotateLeft(acc3, 12) + rotateLeft(acc4, 18)
    merge(merge(merge(merge(sum, acc1), acc2), acc3), acc4)
  }

  private def round(accumulator: Long, lane: Long): Long =
    rotateLeft(accumulator + lane * Prime2, 31) * Prime1

  private def merge(accumulator: Long, stripes: Long): Long =
    (accumulator ^ round(0, stripes)) * Prime1 + Prime4

  /**
   * Step 5: consumes the fewer than 32 bytes after the last stripe: eight, then four, then one at
   * a time.
   */
  private def mixRest(start: Long, bytes: Array[Byte], from: Int, until: Int): Long = {
    var accumulator = start
    var at = from
    while (until - at >= 8) {
      accumulator = mixLong(accumulator, LittleEndian.getLong(bytes, at))
      at += 8
    }
    if (until - at >= 4) {
      accumulator = mixInt(accumulator, LittleEndian.getInt(bytes, at))
      at += 4
    }
    while (at < until) {
      accumulator = rotateLeft(accumulator ^ (bytes(at) & 0xff) * Prime5, 11) * Prime1
      at += 1
    }
    accumulator
  }

  private def mixLong(accumulator: Long, lane: Long): Long =
    rotateLeft(accumulator ^ round(0, lane), 27) * Prime1 + Prime4

  private def mixInt(accumulator: Long, lane: Int): Long =
    rotateLeft(accumulator ^ (lane & 0xffffffffL) * Prime1, 23) * Prime2 + Prime3

  private[core] def long(bytes: Array[Byte], at: Int): Long = LittleEndian.getLong(bytes, at)

  private[core] def unsignedInt(bytes: Array[Byte], at: Int): Long =
    LittleEndian.getInt(bytes, at) & 0xffffffffL

  /** Step 6: mixes the bits, so that every input bit can change every output bit. */
  private def avalanche(accumulator: Long): Long = {
    val a = (accumulator ^ accumulator >>> 33) * Prime2
    val b = (a ^ a >>> 29) * Prime3
    b ^ b >>> 32
  }
}
