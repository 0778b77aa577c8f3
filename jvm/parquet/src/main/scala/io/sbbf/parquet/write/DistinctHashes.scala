package io.sbbf.parquet
package write

import scala.annotation.tailrec

import io.sbbf.core.kernel.Kernels
import io.sbbf.core.{FilterShape, FilterSizing}

/**
 * The distinct ones of hashes that come in any number, and the smallest filter of them that keeps
 * an FPP. Few of them are held as they are and counted; many go into a filter of the largest size
 * at once, which is folded in the end (see [[FilterShape.fold]]), so that memory does not grow
 * with their number. Not thread-safe.
 *
 * @param fpp which the filters keep as long as `maxBytes` allows
 * @param maxBytes a power of two, the largest filter
 */
private[parquet] final class DistinctHashes(fpp: Double, maxBytes: Int) {
  import DistinctHashes._

  // An open hash table; a slot with 0 is empty, and the hash 0 is kept apart.
  private var table = new Array[Long](FewestSlots)
  private var used = 0
  private var hasZero = false

  /** Takes the place of the table from the first hash on that it has no room for. */
  private var filter: RegionalFilter = _

  /** Takes hashes up to `until`. */
  def add(hashes: Array[Long], until: Int): Unit = {
    var i = 0
    while (i < until && filter == null) {
      addOne(hashes(i))
      i += 1
    }
    if (i < until) filter.add(hashes, i, until)
  }

  /**
   * The filter of all that came since the last time, a power of two of bytes; starts anew. `None`
   * if there were fewer than `fewest`, of which there are at least 1 and at most [[MostCounted]].
   */
  def result(fewest: Int): Option[Array[Byte]] =
    try {
      if (filter != null)
        Some(smallest(filter.result()))
      else if (count < fewest) None
      else Some(filterOf(math.min(maxBytes, FilterSizing.bytesFor(count, fpp))))
    } finally clear()

  private def count: Int = used + (if (hasZero) 1 else 0)

  private def addOne(hash: Long): Unit =
    if (hash == 0) hasZero = true
    else {
      val slot = slotOf(table, hash)
      if (table(slot) == 0) {
        table(slot) = hash
        used += 1
        if (used * 2 == table.length) grow()
      }
    }

  /** The smallest fold; the fill of a large filter tells well where to begin. */
  private def smallest(large: Array[Byte]): Array[Byte] = {
    @tailrec
    def from(numBytes: Int): Array[Byte] =
      if (numBytes >= large.length) large
      else {
        val folded = FilterShape.fold(large, numBytes)
        if (FilterShape.effectiveFpp(folded) <= fpp) folded else from(numBytes * 2)
      }
    from(FilterSizing.bytesFor(FilterShape.distinctEstimate(large), fpp))
  }

  private def grow(): Unit =
    if (used == MostCounted) filter = new RegionalFilter(filterOf(maxBytes))
    else {
      val larger = new Array[Long](table.length * 2)
      table.foreach(hash => if (hash != 0) larger(slotOf(larger, hash)) = hash)
      table = larger
    }

  /** Where the hash is, or the empty slot in which it would be. */
  private def slotOf(table: Array[Long], hash: Long): Int = {
    val mask = table.length - 1
    var slot = hash.toInt & mask
    while (table(slot) != 0 && table(slot) != hash) slot = slot + 1 & mask
    slot
  }

  private def filterOf(numBytes: Int): Array[Byte] = {
    val bitset = new Array[Byte](numBytes)
    val hashes = new Array[Long](count)
    var n = 0
    table.foreach { hash =>
      if (hash != 0) {
        hashes(n) = hash
        n += 1
      }
    }
    Kernels.insert(bitset, hashes, 0, hashes.length)
    bitset
  }

  /** The next row group will be like this one: a table that has grown stays. */
  private def clear(): Unit = {
    java.util.Arrays.fill(table, 0L)
    used = 0
    hasZero = false
    filter = null
  }
}

private[parquet] object DistinctHashes {
  private final val FewestSlots = 64

  /** In a table of 4 MiB, half full. */
  final val MostCounted = 1 << 18
}
