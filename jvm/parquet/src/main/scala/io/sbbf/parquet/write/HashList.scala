package io.sbbf.parquet.write

import scala.collection.mutable.ArrayBuffer

import io.sbbf.core.kernel.Kernels

/**
 * Hashes on their way into a filter, in chunks that stay for the next row group. They go in chunk by
 * chunk, each by the order of its blocks: in no order nearly each hash would miss the caches, and
 * its page in the CPU's table of them. Not thread-safe.
 */
private[parquet] final class HashList {
  import HashList._

  private val chunks = ArrayBuffer.empty[Array[Long]]
  private lazy val ordered = new Array[Long](ChunkSize)
  private var count = 0

  def size: Int = count

  /** Takes the hashes `from` until `until`. */
  def add(hashes: Array[Long], from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val start = count % ChunkSize
      if (start == 0 && count / ChunkSize == chunks.size) chunks += new Array[Long](ChunkSize)
      val length = math.min(until - at, ChunkSize - start)
      System.arraycopy(hashes, at, chunks(count / ChunkSize), start, length)
      count += length
      at += length
    }
  }

  /** From now on the filter contains them, and the list is empty. */
  def moveInto(bitset: Array[Byte]): Unit = {
    var from = 0
    while (from < count) {
      val length = math.min(ChunkSize, count - from)
      order(chunks(from / ChunkSize), length)
      Kernels.insert(bitset, ordered, 0, length)
      from += length
    }
    count = 0
  }

  /** A counting sort by the upper bits, which choose the block. */
  private def order(chunk: Array[Long], length: Int): Unit = {
    val starts = new Array[Int](Regions + 1)
    var i = 0
    while (i < length) {
      starts((chunk(i) >>> RegionShift).toInt + 1) += 1
      i += 1
    }
    var region = 0
    while (region < Regions) {
      starts(region + 1) += starts(region)
      region += 1
    }
    i = 0
    while (i < length) {
      val of = (chunk(i) >>> RegionShift).toInt
      ordered(starts(of)) = chunk(i)
      starts(of) += 1
      i += 1
    }
  }
}

private[parquet] object HashList {

  /**
   * Of a quarter of a MiB: what fills half of one of G1's regions, the smallest of which have one MiB, gets a region
   * of its own.
   */
  private final val ChunkSize = 1 << 15

  /** Of a filter for as many values as a list has at most, 8 MiB at 1 %, each is 128 KiB. */
  private final val Regions = 64
  private final val RegionShift = 64 - 6
}
