package io.sbbf.core.kernel

import io.sbbf.core.bloom.{SplitBlockBloomFilter, XxHash64}

/**
 * Runs the loops in plain arithmetic, which every JVM executes well from its first calls on.
 * [[VectorKernel]] must agree with it bit for bit. There are no branches on data, because a
 * mispredicted branch costs more than a whole probe.
 */
object ScalarKernel extends Kernel {
  import Kernel._

  override val name: String = "scalar"

  override def hashLongs(
      values: Array[Long],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, values.length, hashes, to)
    var i = from
    while (i < until) {
      hashes(to - from + i) = XxHash64.hashLong(values(i))
      i += 1
    }
  }

  override def hashInts(
      values: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, values.length, hashes, to)
    var i = from
    while (i < until) {
      hashes(to - from + i) = XxHash64.hashInt(values(i))
      i += 1
    }
  }

  override def hashBytes(
      bytes: Array[Byte],
      offsets: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, offsets.length - 1, hashes, to)
    checkStrings(bytes, offsets, from, until)
    var i = from
    while (i < until) {
      hashes(to - from + i) = XxHash64.hashRange(bytes, offsets(i), offsets(i + 1))
      i += 1
    }
  }

  override def insert(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit = {
    checkFilter(bitset, hashes, from, until)
    var i = from
    while (i < until) {
      SplitBlockBloomFilter.insertChecked(bitset, hashes(i))
      i += 1
    }
  }

  override def probe(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int,
      matches: Array[Long]): Unit = {
    checkFilter(bitset, hashes, from, until)
    checkMatches(until - from, matches)
    var start = from
    while (start < until) {
      val count = math.min(until - start, BitsPerWord)
      var hits = 0L
      var j = 0
      while (j < count) {
        hits |= SplitBlockBloomFilter.probeChecked(bitset, hashes(start + j)).toLong << j
        j += 1
      }
      matches((start - from) / BitsPerWord) = hits
      start += count
    }
  }

  override def containsAny(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int): Boolean = {
    checkFilter(bitset, hashes, from, until)
    var i = from
    while (i < until && SplitBlockBloomFilter.probeChecked(bitset, hashes(i)) == 0) i += 1
    i < until
  }
}
