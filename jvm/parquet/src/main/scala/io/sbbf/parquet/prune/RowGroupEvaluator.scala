package io.sbbf.parquet.prune

import java.util.IdentityHashMap

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.eval.{FileEvidence, IndexedLeaf, LeafEvaluator}
import io.sbbf.parquet.hashes.LeafHits
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.{Evidence, LeafResult}
import io.sbbf.parquet.pass.PruneRequest
import io.sbbf.parquet.result.{FilePruning, FileStorage}

/**
 * Evaluates one predicate on the row groups of one file. Not thread-safe.
 *
 * @param open opens the file; called only when something has to be read
 * @param isCacheFull returns whether the cache has no space for what is read
 * @param hits returns the row groups that might match a leaf by an index, null if it knows none
 */
private[sbbf] final class RowGroupEvaluator(
    request: PruneRequest,
    evidence: FileEvidence,
    open: () => FileBytes,
    isCacheFull: () => Boolean = () => false,
    hits: Leaf => LeafHits = _ => null) {
  import RowGroupEvaluator._
  import request.{lookup, predicate, requirements}

  // Lookup by identity avoids comparing the values of a long IN list for every row group.
  private val bound = new IdentityHashMap[Leaf, LeafEvaluator]
  predicate.leaves.foreach { leaf =>
    val own = evidence.bind(leaf, lookup, request.encodings, isCacheFull)
    val found = hits(leaf)
    bound.put(leaf, if (found == null) own else new IndexedLeaf(own, found))
  }

  private var refutedBy = Map.empty[Evidence, Int]
  private var keptBecause = Map.empty[String, Int]
  private var filtersRejected = Map.empty[String, Int]

  /** Evaluates all row groups and returns the outcome of a file of `length` bytes. */
  def outcome(length: Long): FilePruning = {
    val footer = evidence.footer
    val surviving = Array.tabulate(footer.numRowGroups)(survives)
    val kept = surviving.indices.filter(surviving(_))
    checkFilters(kept)
    FilePruning(
      rowGroups = footer.numRowGroups,
      kept = kept.size,
      keptRows = kept.map(footer.numRows).sum,
      keptBytes =
        if (kept.size == surviving.length) length else kept.map(footer.compressedBytes).sum,
      ranges =
        if (footer.hasMidpoints) RowGroupEvaluator.ranges(surviving, footer.midpoint) else None,
      refutedBy = refutedBy,
      keptBecause = keptBecause,
      filtersRejected = filtersRejected,
      storage = FileStorage.of(footer, requirements, lookup.caseSensitive)
    )
  }

  /**
   * Evaluates the predicate by the footer's statistics. Reads filters and dictionaries only if
   * the statistics do not decide.
   */
  private def survives(rowGroup: Int): Boolean = {
    val byStatistics = evaluate(_.evalStatistics(rowGroup))
    val result =
      if (byStatistics.verdict == Verdict.MightMatch) evaluate(_.evalContents(rowGroup, open))
      else byStatistics
    result.filterRejected.foreach(why => filtersRejected = counted(filtersRejected, why))
    if (result.verdict == Verdict.CannotMatch) refutedBy = counted(refutedBy, result.evidence)
    else keptBecause = counted(keptBecause, result.reason)
    result.verdict != Verdict.CannotMatch
  }

  /**
   * Finds invalid filters that tasks may probe, where other evidence decided. Those of refuted row
   * groups do not matter: they hold no row to lose.
   */
  private def checkFilters(kept: Seq[Int]): Unit =
    if (filtersRejected.isEmpty)
      for (rowGroup <- kept)
        rejection(rowGroup).foreach(why => filtersRejected = counted(filtersRejected, why))

  private def rejection(rowGroup: Int): Option[String] =
    requirements.probed.iterator
      .map(evidence.columnIndex(_, lookup.caseSensitive))
      .filter(_ >= 0)
      .map(evidence.filter(rowGroup, _, open()))
      .collectFirst { case FilterState.Rejected(why) => why }

  private def evaluate(evalLeaf: LeafEvaluator => LeafResult): LeafResult =
    LeafResult.of(predicate)(leaf => evalLeaf(bound.get(leaf)))
}

private[sbbf] object RowGroupEvaluator {
  private def counted[K](counts: Map[K, Int], key: K): Map[K, Int] =
    counts.updated(key, counts.getOrElse(key, 0) + 1)

  /**
   * Returns the byte ranges that hold the midpoints of the surviving row groups and of no others,
   * as starts and ends. Parquet readers assign a row group to the split that holds its midpoint.
   *
   * Survivors whose midpoints follow each other share a range, because each range costs an open and a
   * footer. A row group with the midpoint of a survivor is read with it. Returns None if all row
   * groups survive.
   *
   * @param midpoint the midpoint of each row group. Row groups may be in another order than their
   *   midpoints, as in files whose row groups interleave.
   */
  def ranges(survives: Array[Boolean], midpoint: Int => Long): Option[Array[Long]] =
    if (survives.forall(identity)) None
    else if (!survives.contains(true)) Some(Array.empty)
    else {
      val kept = survives.indices.filter(survives(_)).map(midpoint).toSet
      val points = survives.indices.map(midpoint).distinct.sorted
      def isKept(i: Int) = points.indices.contains(i) && kept(points(i))
      val starts = points.indices.filter(i => isKept(i) && !isKept(i - 1))
      val ends = points.indices.filter(i => isKept(i) && !isKept(i + 1))
      Some(starts.zip(ends).flatMap { case (a, b) => Seq(points(a), points(b) + 1) }.toArray)
    }
}
