package io.sbbf.parquet.sample

import java.util.Arrays

import io.sbbf.parquet.values.HashSink

/**
 * The k minimum hashes of a set of values. They estimate the number of distinct values and,
 * together with other sketches, the number of shared values (Bar-Yossef et al., "Counting
 * Distinct Elements in a Data Stream", 2002; Beyer et al., "On Synopses for Distinct-Value
 * Estimation Under Multiset Operations", 2007).
 *
 * @param ranks at most [[KmvSketch.K]] distinct hashes, ascending in the order of unsigned
 *   numbers, which is mapped to that of signed numbers
 */
private[sbbf] final case class KmvSketch(ranks: Array[Long]) {
  import KmvSketch._

  /** Whether the sketch holds the hashes of all values. */
  def isExact: Boolean = ranks.length < K

  /**
   * Returns the number of distinct values. It is exact below [[KmvSketch.K]]; otherwise it is an
   * estimate with a standard error of 3 %.
   */
  def distinct: Double =
    if (isExact) ranks.length.toDouble else (K - 1) / share(ranks.last)
}

private[sbbf] object KmvSketch {

  /**
   * The largest number of hashes in a sketch. The relative standard error is `1 / sqrt(K - 2)`.
   */
  final val K = 1024

  /**
   * Builds a sketch from any number of hashes: it keeps the [[K]] smallest distinct ones. Not
   * thread-safe.
   */
  private[parquet] final class Builder extends HashSink {
    // the sketch so far, then the hashes that were added since
    private val kept = new Array[Long](2 * K)
    private var used = 0
    private var limit = Long.MaxValue

    override def add(hashes: Array[Long], until: Int): Unit = {
      var i = 0
      while (i < until) {
        val next = rank(hashes(i))
        if (next <= limit) {
          kept(used) = next
          used += 1
          if (used == kept.length) shrink()
        }
        i += 1
      }
    }

    def result(): KmvSketch = {
      shrink()
      KmvSketch(Arrays.copyOf(kept, used))
    }

    private def shrink(): Unit = {
      used = distinctOf(kept, used)
      if (used >= K) {
        used = K
        limit = kept(K - 1)
      }
    }
  }

  /** Returns the sketch of the values of all sketches together. */
  def union(sketches: Seq[KmvSketch]): KmvSketch = {
    val all = sketches.iterator.flatMap(_.ranks).toArray
    val shared = sketches.filterNot(_.isExact).map(_.ranks.last)
    val counted = distinctOf(all, all.length)
    // above the lowest last rank, a sketch may have dropped hashes
    val until = if (shared.isEmpty) counted else upTo(all, counted, shared.min)
    KmvSketch(Arrays.copyOf(all, math.min(until, K)))
  }

  /**
   * Returns in how many sets each value of a random sample is. The sample is taken from the
   * values of all sets: the values whose hashes are up to the lowest last rank, where all
   * sketches are complete.
   */
  def multiplicities(sketches: Seq[KmvSketch]): Seq[Int] = {
    val limit = sketches.filterNot(_.isExact).map(_.ranks.last).foldLeft(Long.MaxValue)(_ min _)
    val all = sketches.iterator.flatMap(_.ranks.iterator.takeWhile(_ <= limit)).toArray
    Arrays.sort(all)
    val found = Seq.newBuilder[Int]
    var from = 0
    while (from < all.length) {
      var until = from + 1
      while (until < all.length && all(until) == all(from)) until += 1
      found += until - from
      from = until
    }
    found.result()
  }

  private def rank(hash: Long): Long = hash ^ Long.MinValue

  /** Returns the share of all hashes that have at most this rank. */
  private def share(rank: Long): Double = (rank.toDouble - Long.MinValue.toDouble) / TwoTo64

  private final val TwoTo64 = 18446744073709551616.0

  /**
   * Sorts the first `until` ranks, removes duplicates, and returns the number of remaining ranks.
   */
  private def distinctOf(ranks: Array[Long], until: Int): Int = {
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
