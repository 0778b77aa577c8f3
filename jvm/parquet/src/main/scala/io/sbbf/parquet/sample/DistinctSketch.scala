package io.sbbf.parquet
package sample

import java.util.Arrays

import io.sbbf.parquet.write.HashSink

/**
 * Keeps the smallest of the hashes that come, each once: [[Sketch.Size]] of them, whatever their
 * number. Not thread-safe.
 */
private[parquet] final class DistinctSketch extends HashSink {
  import Sketch.Size

  // the sketch, then what came since it was made
  private val kept = new Array[Long](2 * Size)
  private var used = 0
  private var limit = Long.MaxValue

  override def add(hashes: Array[Long], until: Int): Unit = {
    var i = 0
    while (i < until) {
      val rank = Sketch.rank(hashes(i))
      if (rank <= limit) {
        kept(used) = rank
        used += 1
        if (used == kept.length) shrink()
      }
      i += 1
    }
  }

  def result(): Sketch = {
    shrink()
    Sketch(Arrays.copyOf(kept, used))
  }

  private def shrink(): Unit = {
    used = Sketch.distinct(kept, used)
    if (used >= Size) {
      used = Size
      limit = kept(Size - 1)
    }
  }
}

/**
 * The smallest hashes of some values, which tell how many values there are and, beside those of
 * others, how many they share (Bar-Yossef et al., "Counting Distinct Elements in a Data Stream",
 * 2002; Beyer et al., "On Synopses for Distinct-Value Estimation Under Multiset Operations", 2007).
 *
 * @param ranks hashes in the order of unsigned numbers, shifted to that of signed ones: ascending,
 *   each once, at most [[Sketch.Size]]
 */
private[sbbf] final case class Sketch(ranks: Array[Long]) {
  import Sketch._

  /** Whether it holds a hash of each value. */
  def isWhole: Boolean = ranks.length < Size

  /** Distinct values: counted if there are fewer than [[Sketch.Size]], else within 3 % as a rule. */
  def distinct: Double =
    if (isWhole) ranks.length.toDouble else (Size - 1) / share(ranks.last)
}

private[sbbf] object Sketch {

  /** The relative standard error is `1 / sqrt(Size - 2)`. */
  final val Size = 1024

  /** Of the values of all. */
  def union(sketches: Seq[Sketch]): Sketch = {
    val all = sketches.iterator.flatMap(_.ranks).toArray
    val shared = sketches.filterNot(_.isWhole).map(_.ranks.last)
    val counted = distinct(all, all.length)
    // above the lowest last rank there may be hashes that a sketch has dropped
    val until = if (shared.isEmpty) counted else upTo(all, counted, shared.min)
    Sketch(Arrays.copyOf(all, math.min(until, Size)))
  }

  /**
   * The share of a set's values, on average, that another of the sets holds: 0 for sets without a
   * value in common, 1 for equal ones. By the hashes below the lowest last rank, of which all sketches
   * know all.
   *
   * @param sketches of sets, two or more
   */
  def overlap(sketches: Seq[Sketch]): Double = {
    val limit = sketches.filterNot(_.isWhole).map(_.ranks.last).foldLeft(Long.MaxValue)(_ min _)
    val all = sketches.iterator.flatMap(_.ranks.iterator.takeWhile(_ <= limit)).toArray
    Arrays.sort(all)
    var pairs = 0L
    var from = 0
    while (from < all.length) {
      var until = from + 1
      while (until < all.length && all(until) == all(from)) until += 1
      pairs += (until - from).toLong * (until - from - 1)
      from = until
    }
    if (all.isEmpty) 0 else pairs.toDouble / all.length / (sketches.size - 1)
  }

  private[sample] def rank(hash: Long): Long = hash ^ Long.MinValue

  /** Which part of all hashes has at most this rank. */
  private def share(rank: Long): Double = (rank.toDouble - Long.MinValue.toDouble) / TwoTo64

  private final val TwoTo64 = 18446744073709551616.0

  /** Sorts the first ones, and leaves out what comes twice; how many are left. */
  private[sample] def distinct(ranks: Array[Long], until: Int): Int = {
    Arrays.sort(ranks, 0, until)
    var kept = 0
    var i = 0
    while (i < until) {
      if (kept == 0 || ranks(i) != ranks(kept - 1)) {
        ranks(kept) = ranks(i)
        kept += 1
      }
      i += 1
    }
    kept
  }

  private def upTo(ranks: Array[Long], until: Int, limit: Long): Int = {
    val found = Arrays.binarySearch(ranks, 0, until, limit)
    if (found >= 0) found + 1 else -found - 1
  }
}
