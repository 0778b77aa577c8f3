package io.sbbf.parquet.prune

import java.util.IdentityHashMap

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.{RowGroupPredicate, Verdict}
import io.sbbf.parquet.eval.{FileEvidence, LeafEvaluator}
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, Evidence, LeafResult}

/**
 * One predicate put to the row groups of one file. Not thread-safe.
 *
 * @param open gives the file's bytes, called only when something has to be read
 */
private[sbbf] final class RowGroupEvaluator(
    predicate: RowGroupPredicate,
    evidence: FileEvidence,
    lookup: ColumnLookup,
    encodings: LiteralEncodings,
    requirements: StorageRequirements,
    open: () => FileBytes) {
  import RowGroupEvaluator._

  // by identity: the values of a long IN list are not compared again for every row group
  private val bound = new IdentityHashMap[Leaf, LeafEvaluator]
  predicate.leaves.foreach(leaf => bound.put(leaf, evidence.bind(leaf, lookup, encodings)))

  private var refutedBy = Map.empty[Evidence, Int]
  private var keptBecause = Map.empty[String, Int]
  private var filtersRejected = Map.empty[String, Int]

  /** The outcome for a file of `length` bytes. */
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
      storage = FileStorage.Known(
        hasCorruptStatistics = footer.hasCorruptStatistics,
        hasShortDecimals = footer.hasShortDecimals,
        meetsRequirements = requirements.areMetBy(footer, lookup.caseSensitive)
      )
    )
  }

  /** What the footer tells comes first; only where that leaves the predicate open is anything else read. */
  private def survives(rowGroup: Int): Boolean = {
    val told = ask(_.evalStatistics(rowGroup))
    val answer =
      if (told.verdict == Verdict.MightMatch) ask(_.evalContents(rowGroup, open)) else told
    answer.filterRejected.foreach(why => filtersRejected = counted(filtersRejected, why))
    if (answer.verdict == Verdict.CannotMatch) refutedBy = counted(refutedBy, answer.evidence)
    else keptBecause = counted(keptBecause, answer.reason)
    answer.verdict != Verdict.CannotMatch
  }

  /**
   * The verdict, the last evidence that refuted a leaf, the first reason why a leaf was not refuted, and the first
   * why a filter was not believed.
   */
  private def ask(question: LeafEvaluator => LeafResult): LeafResult = {
    var refuting: Evidence = Evidence.None
    var reason = ""
    var filterRejected = Option.empty[String]
    val verdict = predicate.evaluate { leaf =>
      val answer = question(bound.get(leaf))
      filterRejected = filterRejected orElse answer.filterRejected
      if (answer.verdict == Verdict.CannotMatch) refuting = answer.evidence
      else if (reason.isEmpty) reason = answer.reason
      answer.verdict
    }
    new LeafResult(verdict, refuting, if (reason.isEmpty) MightHold else reason, filterRejected)
  }
}

private[sbbf] object RowGroupEvaluator {
  private val MightHold = "might hold a match"

  private def counted[K](counts: Map[K, Int], key: K): Map[K, Int] =
    counts.updated(key, counts.getOrElse(key, 0) + 1)

  /**
   * Byte ranges that hold the midpoints of the surviving row groups and of no other: Parquet readers own a row
   * group by its midpoint. Neighbouring survivors share a range, since each range costs an open and a footer.
   * None where all survive, and where so many do, scattered, that reading the rest is cheaper than opening anew.
   *
   * @param midpoint strictly increasing
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
