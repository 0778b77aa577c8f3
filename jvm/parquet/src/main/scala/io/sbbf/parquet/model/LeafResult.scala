package io.sbbf.parquet.model

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.{RowGroupPredicate, Verdict}

/**
 * The result of evaluating one leaf for one row group: the verdict and the evidence for it.
 *
 * @param reason the reason why nothing was decided; empty when decided. It never holds a value of
 *   the column or of the query.
 * @param filterRejected the reason why the chunk's filter was rejected; None if the filter was
 *   valid or not needed
 */
final case class LeafResult(
    verdict: Verdict,
    evidence: Evidence,
    reason: String,
    filterRejected: Option[String] = None)

private[sbbf] object LeafResult {
  val NoRows: LeafResult = cannot(Evidence.NullCount)
  val AllNull: LeafResult = cannot(Evidence.NullCount)
  val NoNulls: LeafResult = cannot(Evidence.NullCount)
  val EveryRowNull: LeafResult = all(Evidence.NullCount)
  val NoRowNull: LeafResult = all(Evidence.NullCount)
  val OutsideBounds: LeafResult = cannot(Evidence.MinMax)
  val CoversBounds: LeafResult = all(Evidence.MinMax)
  val HoldsBound: LeafResult = LeafResult(Verdict.MightMatch, Evidence.MinMax, "")
  val NotInDictionary: LeafResult = cannot(Evidence.Dictionary)
  val InDictionary: LeafResult = LeafResult(Verdict.MightMatch, Evidence.Dictionary, "")
  val NotInFilter: LeafResult = cannot(Evidence.Bloom)
  val InFilter: LeafResult = LeafResult(Verdict.MightMatch, Evidence.Bloom, "")
  val NotInIndex: LeafResult = cannot(Evidence.Index)
  val InIndex: LeafResult = LeafResult(Verdict.MightMatch, Evidence.Index, "")

  val SchemaMismatch: LeafResult = unknown("column of another structure in the file")
  val DefaultedColumn: LeafResult = unknown("column with a default that the file lacks")

  val OverwrittenColumn: LeafResult =
    unknown("column whose values Spark's row-based reader replaces by its default")
  val AmbiguousColumn: LeafResult = unknown("ambiguous column")
  val RepeatedColumn: LeafResult = unknown("repeated column")
  val EncryptedColumn: LeafResult = unknown("encrypted column")
  val DamagedColumn: LeafResult = unknown("damaged column metadata")
  val NotComparable: LeafResult = unknown("type not comparable")
  val ComparedWithNaN: LeafResult = unknown("compared with NaN")
  val NaNAbove: LeafResult = unknown("NaN is above every bound")
  val Rebased: LeafResult = unknown("literal before the calendar rebase")
  val NoEvidence: LeafResult = unknown("no evidence")
  val UnorderedBounds: LeafResult = unknown("bounds without a column order in the footer")

  /**
   * Returns the verdict of a predicate with the last evidence that refuted a leaf. The reason is the
   * first one why a leaf was not refuted. `filterRejected` is the first reason why a filter was
   * rejected.
   */
  def of(predicate: RowGroupPredicate)(evaluateLeaf: Leaf => LeafResult): LeafResult = {
    var refuting: Evidence = Evidence.None
    var reason = ""
    var filterRejected = Option.empty[String]
    val verdict = predicate.evaluate { leaf =>
      val result = evaluateLeaf(leaf)
      filterRejected = filterRejected orElse result.filterRejected
      if (result.verdict == Verdict.CannotMatch) refuting = result.evidence
      else if (reason.isEmpty) reason = result.reason
      result.verdict
    }
    LeafResult(verdict, refuting, if (reason.isEmpty) MightHold else reason, filterRejected)
  }

  private val MightHold = "might hold a match"

  def filterRejected(reason: String): LeafResult =
    unknown(s"filter rejected: $reason").copy(filterRejected = Some(reason))

  def unknown(reason: String): LeafResult = LeafResult(Verdict.MightMatch, Evidence.None, reason)
  private def cannot(by: Evidence): LeafResult = LeafResult(Verdict.CannotMatch, by, "")
  private def all(by: Evidence): LeafResult = LeafResult(Verdict.AllMatch, by, "")
}
