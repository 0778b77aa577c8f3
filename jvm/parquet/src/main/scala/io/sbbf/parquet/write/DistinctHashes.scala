package io.sbbf.parquet.write

import java.util.Arrays
import java.util.stream.LongStream

import scala.annotation.tailrec

import io.sbbf.core.bloom.{BloomFilterStats, FilterSizing}
import io.sbbf.core.kernel.Kernels
import io.sbbf.parquet.values.HashSink

/**
 * Builds the smallest filter of any number of hashes that keeps an FPP. Not thread-safe.
 *
 *  - Fewer than [[DistinctHashes.MostCounted]] distinct hashes are counted in a hash table.
 *  - More hashes go into a list. Its filter is sized as if all were distinct, and is then folded
 *    (see [[BloomFilterStats.fold]]).
 *  - From `mostListed` hashes on they go into a filter of `maxBytes`, so that memory does not
 *    grow with their number.
 *
 * @param fpp the FPP that the filters keep, if `maxBytes` allows
 * @param maxBytes the size of the largest filter, a power of two
 * @param mostListed the number of hashes at which a list is moved into the largest filter
 */
private[parquet] final class DistinctHashes(
    fpp: Double,
    maxBytes: Int,
    mostListed: Int = DistinctHashes.MostListed)
    extends HashSink {
  import DistinctHashes._

  // A hash table with open addressing. A slot with 0 is empty; `hasZero` represents the hash 0.
  private var table = new Array[Long](FewestSlots)
  private var used = 0
  private var hasZero = false

  // Replaces the table from the first hash on that does not fit into it.
  private var isListing = false
  private lazy val list = new HashList

  /** The filter of the hashes that do not fit into the list; null if there are none. */
  private var largest: Array[Byte] = _

  override def add(hashes: Array[Long], until: Int): Unit = {
    var i = 0
    while (i < until && !isListing) {
      count(hashes(i))
      i += 1
    }
    if (i < until) {
      list.add(hashes, i, until)
      if (list.size >= mostListed) moveToLargest()
    }
  }

  /**
   * Returns the filter of all hashes since the last call, and starts a new one. Its size is a
   * power of two. Returns None if there were fewer than `minNdv` distinct hashes.
   *
   * @param minNdv a number from 1 to [[MostCounted]]
   */
  def result(minNdv: Int): Option[Array[Byte]] =
    try {
      if (largest != null) {
        list.moveInto(largest)
        Some(smallest(largest))
      } else if (isListing) {
        val filter = new Array[Byte](sizeFor(list.size))
        list.moveInto(filter)
        Some(smallest(filter))
      } else if (counted < minNdv) None
      else {
        val filter = new Array[Byte](sizeFor(counted))
        Kernels.insert(filter, countedHashes, 0, counted)
        Some(filter)
      }
    } finally clear()

  private def counted: Int = used + (if (hasZero) 1 else 0)

  private def sizeFor(ndv: Long): Int = math.min(maxBytes, FilterSizing.bytesFor(ndv, fpp))

  private def count(hash: Long): Unit =
    if (hash == 0) hasZero = true
    else {
      val slot = slotOf(table, hash)
      if (table(slot) == 0) {
        table(slot) = hash
        used += 1
        if (used * 2 == table.length) grow()
      }
    }

  /**
   * Returns the smallest fold that keeps the FPP. The estimate of distinct values by the fill of
   * a large filter is a good first size to try.
   */
  private def smallest(large: Array[Byte]): Array[Byte] = {
    @tailrec
    def from(numBytes: Int): Array[Byte] =
      if (numBytes >= large.length) large
      else {
        val folded = BloomFilterStats.fold(large, numBytes)
        if (BloomFilterStats.effectiveFpp(folded) <= fpp) folded else from(numBytes * 2)
      }
    from(FilterSizing.bytesFor(BloomFilterStats.distinctEstimate(large), fpp))
  }

  private def grow(): Unit =
    if (used == MostCounted) {
      isListing = true
      list.add(countedHashes, 0, counted)
    } else {
      val larger = new Array[Long](table.length * 2)
      inTable.forEach(hash => larger(slotOf(larger, hash)) = hash)
      table = larger
    }

  /** Returns the slot of the hash, or the empty slot where it would be. */
  private def slotOf(table: Array[Long], hash: Long): Int = {
    val mask = table.length - 1
    var slot = hash.toInt & mask
    while (table(slot) != 0 && table(slot) != hash) slot = slot + 1 & mask
    slot
  }

  private def countedHashes: Array[Long] = {
    val hashes = inTable.toArray
    if (hasZero) hashes :+ 0L else hashes
  }

  private def inTable: LongStream = Arrays.stream(table).filter(_ != 0)

  private def moveToLargest(): Unit = {
    if (largest == null) largest = new Array[Byte](maxBytes)
    list.moveInto(largest)
  }

  /**
   * Starts anew. A grown table and list stay, because the next row group is likely to be similar.
   */
  private def clear(): Unit = {
    Arrays.fill(table, 0L)
    used = 0
    hasZero = false
    isListing = false
    largest = null
  }
}

private[parquet] object DistinctHashes {
  private final val FewestSlots = 64

  /** The most hashes that are counted: their table has 1 MiB and is half full. */
  final val MostCounted = 1 << 16

  /** The most hashes in the list, 32 MiB. */
  private final val MostListed = 1 << 22
}
