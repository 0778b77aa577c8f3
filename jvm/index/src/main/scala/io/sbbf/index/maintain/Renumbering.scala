package io.sbbf.index.maintain

import java.util.Arrays

/**
 * The new numbers of some row groups of a segment, which are in runs.
 *
 * @param firsts the first old number of each run, ascending
 * @param lengths the number of row groups of each run
 * @param targets the new number of the first row group of each run
 */
private[sbbf] final class Renumbering private (
    firsts: Array[Int],
    lengths: Array[Int],
    targets: Array[Int])
    extends Serializable {

  /** Returns the new number of a row group, -1 if it has none. */
  def apply(rowGroup: Int): Int = {
    val found = Arrays.binarySearch(firsts, rowGroup)
    val run = if (found >= 0) found else -found - 2
    if (run < 0 || rowGroup - firsts(run) >= lengths(run)) -1
    else targets(run) + rowGroup - firsts(run)
  }

  def size: Int = lengths.sum

  /** Returns all new numbers. */
  def all: Array[Int] = {
    val numbers = new Array[Int](size)
    var at = 0
    for (run <- lengths.indices; i <- 0 until lengths(run)) {
      numbers(at) = targets(run) + i
      at += 1
    }
    numbers
  }
}

private[sbbf] object Renumbering {

  /** @param runs first old number, length and first new number of each run, none of length 0 */
  def of(runs: Seq[(Int, Int, Int)]): Renumbering = {
    val (firsts, lengths, targets) = runs.sortBy(_._1).unzip3
    require(firsts.distinct.size == firsts.size, "two runs begin with the same row group")
    new Renumbering(firsts.toArray, lengths.toArray, targets.toArray)
  }
}
