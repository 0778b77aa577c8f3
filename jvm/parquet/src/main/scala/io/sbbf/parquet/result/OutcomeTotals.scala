package io.sbbf.parquet.result

import scala.collection.mutable
import scala.collection.mutable.ArrayBuilder

/**
 * Sums over the outcomes of the files of a listing. An index refutes most of the files with one
 * shared outcome, so the sums count runs of adjacent files that share theirs.
 *
 * @param starts the first file of each run
 */
private[result] final class OutcomeTotals private (
    outcomes: IndexedSeq[FilePruning],
    starts: Array[Int]) {

  /** Returns whether an outcome has a property. */
  def exists(property: FilePruning => Boolean): Boolean =
    starts.exists(first => property(outcomes(first)))

  /** Returns the numbers of the files whose outcome has a property. */
  def indicesOf(property: FilePruning => Boolean): IndexedSeq[Int] =
    runs.filter(run => property(outcomes(run.head))).flatMap(_.iterator).toIndexedSeq

  def count(property: FilePruning => Boolean): Long =
    sum(outcome => if (property(outcome)) 1L else 0L)

  def sum(of: FilePruning => Long): Long =
    runs.map(run => run.size * of(outcomes(run.head))).sum

  /** Returns the sum of each key's counts. */
  def sums[K](of: FilePruning => Map[K, Int]): Map[K, Long] = {
    val found = mutable.HashMap.empty[K, Long]
    for (run <- runs; (key, count) <- of(outcomes(run.head)))
      found(key) = found.getOrElse(key, 0L) + count.toLong * run.size
    found.toMap
  }

  private def runs: Iterator[Range] =
    starts.indices.iterator.map(n => starts(n) until starts.lift(n + 1).getOrElse(outcomes.size))
}

private[result] object OutcomeTotals {

  def of(outcomes: IndexedSeq[FilePruning]): OutcomeTotals = {
    val all = outcomes.toArray
    val starts = new ArrayBuilder.ofInt
    var i = 0
    while (i < all.length) {
      if (i == 0 || (all(i) ne all(i - 1))) starts += i
      i += 1
    }
    new OutcomeTotals(outcomes, starts.result())
  }
}
