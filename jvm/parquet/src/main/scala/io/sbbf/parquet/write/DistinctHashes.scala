package io.sbbf.parquet.write

import java.util.Arrays
import java.util.stream.LongStream

import scala.annotation.tailrec

import io.sbbf.core.bloom.{BloomFilterStats, FilterSizing}
import io.sbbf.core.kernel.Kernels
import io.sbbf.parquet.values.HashSink

/**
 * The distinct ones of hashes that come in any number, and the smallest filter of them that keeps
 * an FPP. Few of them are counted; more are listed, for a filter that would hold them all if they
 * were distinct and is folded in the end (see [[BloomFilterStats.fold]]); from some millions on they go
 * into a filter of the largest size, so that memory does not grow with their number. Not
 * thread-safe.
 *
 * @param fpp which the filters keep as long as `maxBytes` allows
 * @param maxBytes a power of two, the largest filter
 * @param mostListed the hashes of which there may be a list
 */
private[parquet] final class DistinctHashes(
    fpp: Double,
    maxBytes: Int,
    mostListed: Int = DistinctHashes.MostListed)
    extends HashSink {
  import DistinctHashes._

  // An open hash table; a slot with 0 is empty, and the hash 0 is kept apart.
  private var table = new Array[Long](FewestSlots)
  private var used = 0
  private var hasZero = false

  // Takes the place of the table from the first hash on that it has no room for.
  private var isListing = false
  private lazy val list = new HashList

  /** Takes what the list has no room for. */
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
   * The filter of all that came since the last time, a power of two of bytes; starts anew. `None`
   * if there were fewer than `minNdv`, of which there are at least 1 and at most [[MostCounted]].
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

  /** The smallest fold; the fill of a large filter tells well where to begin. */
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

  /** Where the hash is, or the empty slot in which it would be. */
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

  /** The next row group will be like this one: a table and a list that have grown stay. */
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

  /** In a table of 1 MiB, half full. */
  final val MostCounted = 1 << 16

  /** 32 MiB of hashes. */
  private final val MostListed = 1 << 22
}
