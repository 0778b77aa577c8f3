package io.sbbf.index.zones

import scala.collection.mutable

import io.sbbf.core.bloom.{BitSlices, SplitBlockBloomFilter}
import io.sbbf.index.format.StoredZones.Slab

/**
 * Assigns the filters of a column to slabs: one for each size, with few exceptions. A lookup reads
 * eight slices of each slab, so a size whose filters cost little when they are wider has no slab of
 * its own.
 *
 * @param filterBytes the size of the filters of each row group, a power of two; 0 without filters
 * @param zones the number of filters of each row group
 */
private[sbbf] final class SlabPlan(filterBytes: IndexedSeq[Int], zones: IndexedSeq[Int]) {
  import SlabPlan._

  private val widened: Map[Int, Int] = {
    val counts = mutable.TreeMap.empty[Int, Long]
    for (n <- filterBytes.indices if filterBytes(n) > 0 && zones(n) > 0)
      counts(filterBytes(n)) = counts.getOrElse(filterBytes(n), 0L) + zones(n)
    wider(counts.toVector)
  }

  private val first: Array[Int] = Array.fill(filterBytes.size)(-1)

  /** The slabs, in ascending order of their sizes. */
  val slabs: Vector[SlabLayout] = {
    val used = mutable.TreeMap.empty[Int, Int]
    for (n <- filterBytes.indices; size <- sizeOf(n)) {
      first(n) = used.getOrElse(size, 0)
      used(size) = Math.addExact(first(n), zones(n))
    }
    require(used.values.forall(_ <= SlabLayout.MostFilters), "too many zones: use larger ones")
    used.map { case (size, count) => SlabLayout(size, count) }.toVector
  }

  /** Returns the number of the slab of a row group's filters, -1 if it has none. */
  def slabOf(rowGroup: Int): Int =
    sizeOf(rowGroup).fold(-1)(size => slabs.indexWhere(_.filterBytes == size))

  /** Returns the number of a row group's first filter in its slab, -1 if it has none. */
  def firstFilter(rowGroup: Int): Int = first(rowGroup)

  private def sizeOf(rowGroup: Int): Option[Int] =
    if (zones(rowGroup) == 0) None else widened.get(filterBytes(rowGroup))
}

private[sbbf] object SlabPlan {

  /** Filters are widened if that adds at most an eighth to all of them. */
  private final val MostAdded = 8

  /**
   * Returns the size that each size is widened to.
   *
   * @param counts sizes in ascending order, each with the number of its filters
   */
  private def wider(counts: Vector[(Int, Long)]): Map[Int, Int] = {
    val budget = counts.map { case (size, count) => size * count }.sum / MostAdded
    // sizes that are widened together, and the bytes that this adds
    var spent = 0L
    var waiting = Vector.empty[(Int, Long)]
    val found = Map.newBuilder[Int, Int]
    counts.foreach { case (size, count) =>
      val added = waiting.map { case (small, n) => (size - small) * n }.sum
      if (spent + added > budget) {
        val widest = waiting.last._1
        spent += waiting.map { case (small, n) => (widest - small) * n }.sum
        waiting.foreach { case (small, _) => found += small -> widest }
        waiting = Vector.empty
      }
      waiting :+= (size -> count)
    }
    waiting.foreach { case (small, _) => found += small -> waiting.last._1 }
    found.result()
  }
}

/**
 * How the filters of a slab are split into files, by runs of their blocks.
 *
 * @param filterBytes the size of a filter, a power of two
 * @param filters the number of filters, at least 1
 */
private[sbbf] final case class SlabLayout(filterBytes: Int, filters: Int) {
  import SlabLayout._

  def numBlocks: Int = filterBytes / SplitBlockBloomFilter.BytesPerBlock

  /** The blocks of a file, a power of two. */
  val blocksOfPart: Int = {
    val fitting = PartBytes / (SplitBlockBloomFilter.BytesPerBlock.toLong * filters)
    math.min(numBlocks.toLong, math.max(1L, java.lang.Long.highestOneBit(fitting))).toInt
  }

  def numParts: Int = numBlocks / blocksOfPart

  /** The bytes of the filters in one file. */
  def bytesOfPiece: Int = blocksOfPart * SplitBlockBloomFilter.BytesPerBlock

  /** The size of its files, about. */
  def bytes: Long = numBlocks.toLong * BitSlices.Slices * Slab.sliceBytes(filters)
}

private[sbbf] object SlabLayout {

  /** What a task holds in memory while it writes a file, if a block of all filters is not larger. */
  private final val PartBytes = 64L << 20

  /** The most filters of a slab: a page holds 256 slices, and has less than 2 GiB. */
  final val MostFilters = 1 << 25
}
