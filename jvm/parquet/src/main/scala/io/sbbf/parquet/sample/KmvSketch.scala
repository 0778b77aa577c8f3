package io.sbbf.parquet.sample

import java.util.Arrays

import io.sbbf.parquet.values.HashSink

/**
 * The k minimum hashes of some values, which tell how many values there are and, beside those of
 * others, how many they share (Bar-Yossef et al., "Counting Distinct Elements in a Data Stream",
 * 2002; Beyer et al., "On Synopses for Distinct-Value Estimation Under Multiset Operations", 2007).
 *
 * @param ranks hashes in the order of unsigned numbers, shifted to that of signed ones: ascending,
 *   each once, at most [[KmvSketch.K]]
 */
private[sbbf] final case class KmvSketch(ranks: Array[Long]) {
  import KmvSketch._

  /** Whether it holds a hash of each value. */
  def isExact: Boolean = ranks.length < K

  /** Distinct values: counted if there are fewer than [[KmvSketch.K]], else within 3 % as a rule. */
  def distinct: Double =
    if (isExact) ranks.length.toDouble else (K - 1) / share(ranks.last)
}

private[sbbf] object KmvSketch {

  /** The relative standard error is `1 / sqrt(K - 2)`. */
  final val K = 1024

  /**
   * Keeps the smallest of the hashes that come, each once: [[K]] of them, whatever their number. Not thread-safe.
   */
  private[parquet] final class Builder extends HashSink {
    // the sketch, then what came since it was made
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

  /** Of the values of all. */
  def union(sketches: Seq[KmvSketch]): KmvSketch = {
    val all = sketches.iterator.flatMap(_.ranks).toArray
    val shared = sketches.filterNot(_.isExact).map(_.ranks.last)
    val counted = distinctOf(all, all.length)
    // above the lowest last rank there may be hashes that a sketch has dropped
    val until = if (shared.isEmpty) counted else upTo(all, counted, shared.min)
    KmvSketch(Arrays.copyOf(all, math.min(until, K)))
  }

  /**
   * In how many of the sets each of some values is, taken from all values of all sets by chance: by
   * the hashes below the lowest last rank, all of which all sketches know.
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

  /** Which part of all hashes has at most this rank. */
  private def share(rank: Long): Double = (rank.toDouble - Long.MinValue.toDouble) / TwoTo64

  private final val TwoTo64 = 18446744073709551616.0

  /** Sorts the first ones, and leaves out what comes twice; how many are left. */
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
