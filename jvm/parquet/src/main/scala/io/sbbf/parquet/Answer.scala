package io.sbbf.parquet

import io.sbbf.core.Verdict

/** What decided about a row group, cheapest first. */
sealed abstract class Evidence(val name: String) extends Product with Serializable

object Evidence {
  case object None extends Evidence("none")
  case object NullCount extends Evidence("null count")
  case object MinMax extends Evidence("min/max")
  case object Dictionary extends Evidence("dictionary")
  case object Bloom extends Evidence("bloom")
}

/**
 * What one leaf is known to match in one row group, and by which evidence.
 *
 * @param reason why nothing was decided; empty when decided. It never holds a value of the column
 *   or of the query.
 * @param filterRejected why the chunk's filter was not believed, if one was asked
 */
final case class Answer(
    verdict: Verdict,
    evidence: Evidence,
    reason: String,
    filterRejected: Option[String] = None)

private[parquet] object Answer {
  val NoRows: Answer = cannot(Evidence.NullCount)
  val AllNull: Answer = cannot(Evidence.NullCount)
  val NoNulls: Answer = cannot(Evidence.NullCount)
  val EveryRowNull: Answer = all(Evidence.NullCount)
  val NoRowNull: Answer = all(Evidence.NullCount)
  val OutsideBounds: Answer = cannot(Evidence.MinMax)
  val CoversBounds: Answer = all(Evidence.MinMax)
  val HoldsBound: Answer = Answer(Verdict.MightMatch, Evidence.MinMax, "")
  val NotInDictionary: Answer = cannot(Evidence.Dictionary)
  val InDictionary: Answer = Answer(Verdict.MightMatch, Evidence.Dictionary, "")
  val NotInFilter: Answer = cannot(Evidence.Bloom)
  val InFilter: Answer = Answer(Verdict.MightMatch, Evidence.Bloom, "")

  val OtherShape: Answer = unknown("column of another shape in the file")
  val DefaultedColumn: Answer = unknown("column not in the file, which has a default")
  val AmbiguousColumn: Answer = unknown("ambiguous column")
  val RepeatedColumn: Answer = unknown("repeated column")
  val EncryptedColumn: Answer = unknown("encrypted column")
  val DamagedColumn: Answer = unknown("damaged column metadata")
  val NotComparable: Answer = unknown("type not comparable")
  val ComparedWithNaN: Answer = unknown("compared with NaN")
  val NaNAbove: Answer = unknown("NaN is above every bound")
  val Rebased: Answer = unknown("literal before the calendar rebase")
  val NoEvidence: Answer = unknown("no evidence")

  def filterRejected(reason: String): Answer =
    unknown(s"filter rejected: $reason").copy(filterRejected = Some(reason))

  def unknown(reason: String): Answer = Answer(Verdict.MightMatch, Evidence.None, reason)
  private def cannot(by: Evidence): Answer = Answer(Verdict.CannotMatch, by, "")
  private def all(by: Evidence): Answer = Answer(Verdict.AllMatch, by, "")
}
