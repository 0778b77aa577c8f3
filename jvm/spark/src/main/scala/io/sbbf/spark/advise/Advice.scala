package io.sbbf.spark.advise

import java.util.Locale

/** What to do about the filters of a column. */
private[spark] sealed abstract class Advice(val name: String, val isActionable: Boolean)

private[spark] object Advice {
  case object Attach extends Advice("attach", isActionable = true)
  case object Replace extends Advice("replace", isActionable = true)
  case object Keep extends Advice("keep", isActionable = false)
  case object MinMax extends Advice("min/max", isActionable = false)
  case object Dictionary extends Advice("dictionary", isActionable = false)
  case object Sort extends Advice("sort", isActionable = false)
  case object None extends Advice("none", isActionable = false)

  /** Nothing could be found out. */
  case object Unknown extends Advice("unknown", isActionable = false)

  /** Savings below this many row groups of a lookup are no reason to write filters. */
  private final val FewSaved = 0.5

  /** Min/max that keep fewer are as good as filters, whatever these tell. */
  private final val FewRowGroups = 2

  /** Min/max that keep no more than this beside the row groups that hold the value are as good as filters. */
  private final val Close = 1.2

  /** Filters this many times as large as need be are worth being written anew. */
  private final val Oversized = 4

  /** Of row groups: a few may differ from all others. */
  private final val AsGoodAsAll = 0.99

  /** With the reason. */
  def of(
      e: ColumnEvidence,
      kept: KeptRowGroups,
      fpp: Double,
      lookups: Option[Long]): (Advice, String) =
    if (e.whyNone.isDefined) (None, e.whyNone.get)
    else if (e.rowGroups == 0) (None, "it has no value but NULL")
    else if (e.sampled == 0)
      (
        Unknown,
        "none of the sampled row groups with values of it could be read: sample more row groups, or see Spark's log")
    else if (lookups.contains(0L)) (None, "none of the queries looks a value up in it")
    else if (e.keptByBounds < FewRowGroups && e.rowGroups > FewRowGroups) (MinMax, enough(e))
    else ofFilters(e, kept, fpp).getOrElse(ofOthers(e, kept))

  /** Where there are filters that are worth more, or less, than nothing. */
  private def ofFilters(
      e: ColumnEvidence,
      kept: KeptRowGroups,
      asked: Double): Option[(Advice, String)] =
    e.existingFpp.flatMap { fpp =>
      if (kept.withMore.mean - kept.withNew.mean >= FewSaved && kept.filter.fpp < fpp / 2)
        Some(
          (Replace, s"its filters have an FPP of ${share(fpp)}: ${gain(kept.now, kept.withNew)}"))
      else if (kept.now.mean - kept.withMore.mean >= FewSaved) scala.None
      else if (e.oversize(asked) > Oversized && isCloseToValues(e))
        Some((Keep, s"${large(e, asked)}; min/max tell as much, so lookups need none"))
      else if (e.oversize(asked) > Oversized)
        Some((Replace, s"${large(e, asked)}; files grow by new ones, but lookups read less"))
      else Some((Keep, s"its filters have an FPP of ${share(fpp)}"))
    }

  private def ofOthers(e: ColumnEvidence, kept: KeptRowGroups): (Advice, String) =
    if (!e.isHoldingKnown)
      (
        Unknown,
        s"min/max keep ${few(e.keptByBounds)} of ${few(e.rowGroups)} row groups of a lookup; how many of these hold the " +
          s"value, the sample does not show: sample ${e.enoughRowGroups} row groups")
    else if (isCloseToValues(e))
      if (e.keptByBounds > e.rowGroups / 2) ofSpread(e, kept) else (MinMax, enough(e))
    else if (hasDictionaries(e)) WithDictionaries
    else if (kept.now.mean - kept.withMore.mean < FewSaved)
      (None, s"filters save next to nothing: ${gain(kept.now, kept.withMore)}")
    else (Attach, gain(kept.now, kept.withMore))

  /** Whether min/max keep little else than the row groups that hold the value. */
  private def isCloseToValues(e: ColumnEvidence): Boolean =
    e.keptByBounds <= Close * e.containing + FewSaved

  /** Of a column whose values are in most row groups. */
  private def ofSpread(e: ColumnEvidence, kept: KeptRowGroups): (Advice, String) =
    if (hasDictionaries(e)) WithDictionaries
    else if (kept.sorted < e.containing / 2)
      (
        Sort,
        s"most values are in most row groups: ${gain(kept.now, kept.withMore)}. Sorted by this column, min/max would " +
          s"keep ${few(kept.sorted)}")
    else if (kept.now.absent - kept.withMore.absent >= FewSaved)
      (Attach, s"for values that are not there: ${gain(kept.now, kept.withMore)}")
    else (None, s"filters save next to nothing: ${gain(kept.now, kept.withMore)}")

  private def enough(e: ColumnEvidence): String =
    s"min/max keep ${few(e.keptByBounds)} of ${few(e.rowGroups)} row groups of a lookup, next to what filters could do"

  private def large(e: ColumnEvidence, fpp: Double): String =
    s"its filters are ${few(e.oversize(fpp))} times as large as an FPP of ${share(fpp)} takes"

  private def hasDictionaries(e: ColumnEvidence): Boolean =
    e.dictionaries >= AsGoodAsAll * e.rowGroups

  private val WithDictionaries =
    (Dictionary, "dictionaries hold all values and tell as much as filters would")

  private def gain(before: LookupCost, after: LookupCost): String =
    s"a lookup reads ${few(before.present)} row groups for a value that is there and ${few(before.absent)} for " +
      s"one that is not; with these filters ${few(after.present)} and ${few(after.absent)}"

  private def few(rowGroups: Double): String = text("%,.1f", rowGroups)
  private def share(fpp: Double): String = text("%.2g", fpp)
  private def text(format: String, value: Any): String = format.formatLocal(Locale.ROOT, value)
}
