package io.sbbf.parquet
package write

import io.sbbf.core.kernel.Kernels

/**
 * Fills a large filter region by region: hashes wait until there are many, and go in by the order of
 * their blocks. In no order nearly each of them would miss the caches, and its page in the CPU's
 * table of them. Not thread-safe.
 */
private[parquet] final class RegionalFilter(bitset: Array[Byte]) {
  import RegionalFilter._

  private val waiting = new Array[Long](Waiting)
  private val ordered = new Array[Long](Waiting)
  private var count = 0

  /** Takes the hashes `from` until `until`. */
  def add(hashes: Array[Long], from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val length = math.min(until - at, Waiting - count)
      System.arraycopy(hashes, at, waiting, count, length)
      count += length
      at += length
      if (count == Waiting) insert()
    }
  }

  /** The bitset, with all hashes in it. */
  def result(): Array[Byte] = {
    insert()
    bitset
  }

  private def insert(): Unit = {
    order()
    Kernels.insert(bitset, ordered, 0, count)
    count = 0
  }

  /** A counting sort by the upper bits, which choose the block. */
  private def order(): Unit = {
    val starts = new Array[Int](Regions + 1)
    var i = 0
    while (i < count) {
      starts((waiting(i) >>> RegionShift).toInt + 1) += 1
      i += 1
    }
    var region = 0
    while (region < Regions) {
      starts(region + 1) += starts(region)
      region += 1
    }
    i = 0
    while (i < count) {
      val of = (waiting(i) >>> RegionShift).toInt
      ordered(starts(of)) = waiting(i)
      starts(of) += 1
      i += 1
    }
  }
}

private[parquet] object RegionalFilter {

  /** Half a MiB, as its copy in order. */
  private final val Waiting = 1 << 16

  /** Of 512 KiB in a filter of 32 MiB. */
  private final val Regions = 64
  private final val RegionShift = 64 - 6
}
