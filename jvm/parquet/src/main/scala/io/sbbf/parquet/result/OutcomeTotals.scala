package io.sbbf.parquet.result

import java.util.function.ToLongFunction

import scala.collection.mutable
import scala.collection.mutable.ArrayBuilder

/**
 * Sums over the outcomes of the files of a listing. An index refutes most of the files with one
 * shared outcome, so the sums count runs of adjacent files that share theirs.
 *
 * @param shared the outcome of each run
 * @param starts the first file of each run, and the number of all files
 */
private[result] final class OutcomeTotals private (
    shared: Array[FilePruning],
    starts: Array[Int]) {

  /** Returns whether an outcome has a property. */
  def exists(property: FilePruning => Boolean): Boolean = shared.exists(property)

  /** Returns the union of the sets of all outcomes. */
  def gather[T](of: FilePruning => Set[T]): Set[T] =
    shared.foldLeft(Set.empty[T])((all, outcome) => all ++ of(outcome))

  /** Returns the numbers of the files whose outcome has a property. */
  def indicesOf(property: FilePruning => Boolean): IndexedSeq[Int] = {
    val found = new ArrayBuilder.ofInt
    var run = 0
    while (run < shared.length) {
      if (property(shared(run))) {
        var file = starts(run)
        while (file < starts(run + 1)) {
          found += file
          file += 1
        }
      }
      run += 1
    }
    found.result().toIndexedSeq
  }

  def count(property: FilePruning => Boolean): Long =
    sum(outcome => if (property(outcome)) 1L else 0L)

  /** Takes no Scala function, which would allocate each large number. */
  def sum(of: ToLongFunction[FilePruning]): Long = {
    var total = 0L
    var run = 0
    while (run < shared.length) {
      total += filesOf(run) * of.applyAsLong(shared(run))
      run += 1
    }
    total
  }

  /** Returns the sum of each key's counts. */
  def sums[K](of: FilePruning => Map[K, Int]): Map[K, Long] = {
    val found = mutable.HashMap.empty[K, Long]
    var run = 0
    while (run < shared.length) {
      of(shared(run)).foreach { case (key, count) =>
        found(key) = found.getOrElse(key, 0L) + filesOf(run) * count
      }
      run += 1
    }
    found.toMap
  }

  private def filesOf(run: Int): Long = (starts(run + 1) - starts(run)).toLong
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
    val firsts = starts.result()
    new OutcomeTotals(firsts.map(all(_)), firsts :+ all.length)
  }
}
