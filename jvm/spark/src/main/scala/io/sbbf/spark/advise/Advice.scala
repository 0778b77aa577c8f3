package io.sbbf.spark.advise

import java.util.Locale

/** The advice on the filters of a column. */
private[spark] sealed abstract class Advice(val name: String, val isActionable: Boolean)

private[spark] object Advice {
  case object Add extends Advice("add", isActionable = true)
  case object Replace extends Advice("replace", isActionable = true)
  case object Keep extends Advice("keep", isActionable = false)
  case object MinMax extends Advice("min_max", isActionable = false)
  case object Dictionary extends Advice("dictionary", isActionable = false)
  case object Sort extends Advice("sort", isActionable = false)
  case object None extends Advice("none", isActionable = false)

  /** The sample does not show what to do. */
  case object Unknown extends Advice("unknown", isActionable = false)

  /** The row groups that filters must save a lookup to be worth writing. */
  private final val FewSaved = 0.5

  /** Min/max that keep fewer row groups are as good as any filters. */
  private final val FewRowGroups = 2

  /**
   * Min/max are as good as filters if they keep at most this multiple of the row groups that hold
   * the value.
   */
  private final val Close = 1.2

  /** Filters more than this many times as large as necessary are worth replacing. */
  private final val Oversized = 4

  /** The share of row groups that counts as all, because a few may differ. */
  private final val AsGoodAsAll = 0.99

  /** Returns the advice and its reason. */
  def of(
      e: ColumnProfile,
      kept: KeptRowGroups,
      fpp: Double,
      lookups: Option[Long]): (Advice, String) =
    if (e.whyNone.isDefined) (None, e.whyNone.get)
    else if (e.rowGroups == 0) (None, "all of its values are NULL")
    else if (e.sampled == 0)
      (
        Unknown,
        "no sampled row group with values of the column could be read: sample more row groups, " +
          "or see Spark's log")
    else if (lookups.contains(0L)) (None, "no query looks up a value in the column")
    else if (e.keptByBounds < FewRowGroups && e.rowGroups > FewRowGroups) (MinMax, enough(e))
    else ofFilters(e, kept, fpp).getOrElse(ofOthers(e, kept))

  /**
   * Returns advice on existing filters; None if there are none, or if more of them would help.
   */
  private def ofFilters(
      e: ColumnProfile,
      kept: KeptRowGroups,
      wantedFpp: Double): Option[(Advice, String)] =
    e.existingFpp.flatMap { fpp =>
      if (kept.withMore.mean - kept.withNew.mean >= FewSaved && kept.filter.fpp < fpp / 2)
        Some(
          (Replace, s"its filters have an FPP of ${share(fpp)}: ${gain(kept.now, kept.withNew)}"))
      else if (kept.now.mean - kept.withMore.mean >= FewSaved) scala.None
      else if (e.oversize(wantedFpp) > Oversized && isCloseToValues(e))
        Some((Keep, s"${large(e, wantedFpp)}; min/max prune as well, so lookups need none"))
      else if (e.oversize(wantedFpp) > Oversized)
        Some((Replace, s"${large(e, wantedFpp)}; new ones enlarge files, but lookups read less"))
      else if (kept.filter.fpp < fpp / 2)
        Some(
          (
            Keep,
            s"its filters have an FPP of ${share(fpp)}, but better ones would save almost " +
              s"nothing: ${gain(kept.now, kept.withNew)}"))
      else Some((Keep, s"its filters have an FPP of ${share(fpp)}"))
    }

  private def ofOthers(e: ColumnProfile, kept: KeptRowGroups): (Advice, String) =
    if (!e.isContainingKnown)
      (
        Unknown,
        s"min/max keep ${few(e.keptByBounds)} of ${few(e.rowGroups)} row groups for a lookup, " +
          "but the sample does not show how many of these hold the value: " +
          s"sample ${e.enoughRowGroups} row groups")
    else if (isCloseToValues(e))
      if (e.keptByBounds > e.rowGroups / 2) ofSpread(e, kept) else (MinMax, enough(e))
    else if (hasDictionaries(e)) withDictionaries(e)
    else if (kept.now.mean - kept.withMore.mean < FewSaved)
      (None, s"filters would save almost nothing: ${gain(kept.now, kept.withMore)}")
    else (Add, gain(kept.now, kept.withMore))

  /** Whether min/max keep few row groups beyond those that hold the value. */
  private def isCloseToValues(e: ColumnProfile): Boolean =
    e.keptByBounds <= Close * e.containing + FewSaved

  /** Returns advice on a column whose values are in most row groups. */
  private def ofSpread(e: ColumnProfile, kept: KeptRowGroups): (Advice, String) =
    if (hasDictionaries(e)) withDictionaries(e)
    else if (kept.sorted < e.containing / 2)
      (
        Sort,
        s"most values are in most row groups: ${gain(kept.now, kept.withMore)}. In a table " +
          s"sorted by this column, min/max would keep ${few(kept.sorted)}")
    else if (kept.now.absent - kept.withMore.absent >= FewSaved)
      (Add, s"for absent values: ${gain(kept.now, kept.withMore)}")
    else (None, s"filters would save almost nothing: ${gain(kept.now, kept.withMore)}")

  private def enough(e: ColumnProfile): String =
    s"min/max keep ${few(e.keptByBounds)} of ${few(e.rowGroups)} row groups for a lookup, " +
      "about as few as filters would keep"

  private def large(e: ColumnProfile, fpp: Double): String =
    s"its filters are ${few(e.oversize(fpp))} times as large as an FPP of ${share(fpp)} needs"

  private def hasDictionaries(e: ColumnProfile): Boolean =
    e.dictionaries >= AsGoodAsAll * e.rowGroups

  private def withDictionaries(e: ColumnProfile): (Advice, String) =
    (
      Dictionary,
      s"dictionaries of ${text("%,d", e.dictionaryBytes)} bytes hold all values, and prune as " +
        "well as filters would")

  private def gain(before: LookupCost, after: LookupCost): String =
    s"a lookup reads ${few(before.present)} row groups for a present value and " +
      s"${few(before.absent)} for an absent one; with these filters ${few(after.present)} and " +
      few(after.absent)

  private def few(rowGroups: Double): String = text("%,.1f", rowGroups)
  private def share(fpp: Double): String = text("%.2g", fpp)
  private def text(format: String, value: Any): String = format.formatLocal(Locale.ROOT, value)
}
