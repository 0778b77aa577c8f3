package io.sbbf.parquet.prune

import java.util.IdentityHashMap

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.{RowGroupPredicate, Verdict}
import io.sbbf.parquet.eval.{FileEvidence, IndexedLeaf, LeafEvaluator}
import io.sbbf.parquet.hashes.LeafHits
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, Evidence, LeafResult}
import io.sbbf.parquet.result.{FilePruning, FileStorage, StorageRequirements}

/**
 * Evaluates one predicate on the row groups of one file. Not thread-safe.
 *
 * @param open opens the file; called only when something has to be read
 * @param isCacheFull returns whether the cache has no space for what is read
 * @param hits returns the row groups that might match a leaf by an index, null if it knows none
 */
private[sbbf] final class RowGroupEvaluator(
    predicate: RowGroupPredicate,
    evidence: FileEvidence,
    lookup: ColumnLookup,
    encodings: LiteralEncodings,
    requirements: StorageRequirements,
    open: () => FileBytes,
    isCacheFull: () => Boolean = () => false,
    hits: Leaf => LeafHits = _ => null) {
  import RowGroupEvaluator._

  // Lookup by identity avoids comparing the values of a long IN list for every row group.
  private val bound = new IdentityHashMap[Leaf, LeafEvaluator]
  predicate.leaves.foreach { leaf =>
    val own = evidence.bind(leaf, lookup, encodings, isCacheFull)
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
    FilePruning(
      rowGroups = footer.numRowGroups,
      kept = kept.size,
      keptRows = kept.map(footer.numRows).sum,
      keptBytes =
        if (kept.size == surviving.length) length else kept.map(footer.compressedBytes).sum,
      ranges =
        if (footer.hasDistinctMidpoints) RowGroupEvaluator.ranges(surviving, footer.midpoint)
        else None,
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
   * Adjacent survivors share a range, because each range costs an open and a footer. Returns None
   * if all row groups survive. Also returns None if at least three quarters survive in more than
   * one range, because reading the rest costs less than opening the file again.
   *
   * @param midpoint the midpoint of each row group, strictly increasing
   */
  def ranges(survives: Array[Boolean], midpoint: Int => Long): Option[Array[Long]] = {
    val starts = survives.indices.filter(i => survives(i) && (i == 0 || !survives(i - 1)))
    val ends =
      survives.indices.filter(i => survives(i) && (i == survives.length - 1 || !survives(i + 1)))
    val kept = survives.count(identity)
    val most = kept * 4 >= survives.length * 3
    if (kept == survives.length || (starts.size > 1 && most)) None
    else
      Some(starts.zip(ends).flatMap { case (a, b) => Seq(midpoint(a), midpoint(b) + 1) }.toArray)
  }
}
