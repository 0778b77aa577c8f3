package io.sbbf.parquet.write

import scala.collection.mutable.ArrayBuffer

import io.sbbf.core.kernel.Kernels

/**
 * Collects hashes for a filter. It reuses its chunks for the next row group. Not thread-safe.
 *
 * The hashes of each chunk are inserted in the order of the filter's blocks. Without that order,
 * almost every hash would miss the CPU's caches and its TLB.
 */
private[parquet] final class HashList {
  import HashList._

  private val chunks = ArrayBuffer.empty[Array[Long]]
  private lazy val ordered = new Array[Long](ChunkSize)
  private var count = 0

  def size: Int = count

  /** Adds the hashes at the positions `from` until `until`. */
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

  /** Inserts all hashes into the filter and empties the list. */
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

  /** Sorts a chunk by the upper bits, which choose the block. This is a counting sort. */
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
   * The number of hashes in a chunk of 256 KiB. G1 gives an array of half a region or more its
   * own region, and its smallest regions have 1 MiB.
   */
  private final val ChunkSize = 1 << 15

  /**
   * The number of regions that a chunk is sorted into. In a filter for the most values of a list,
   * 8 MiB at 1 %, each region has 128 KiB.
   */
  private final val Regions = 64
  private final val RegionShift = 64 - 6
}
