package io.sbbf.spark.advise

import java.util.Locale

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import io.sbbf.parquet.write.FilterRequest

/**
 * What to do about the filters of one column. Row groups kept are those that a lookup of one value reads, on
 * average: of a value that the table has, and of one that it does not have.
 *
 * @param lookups that the given queries make; None where none were given
 * @param keptNow by what there is: min/max, dictionaries and filters
 * @param keptThen with the filters that are advised as well
 * @param keptSorted by min/max alone, were the table sorted by the column
 */
private[spark] final case class ColumnAdvice(
    column: String,
    dataType: String,
    advice: String,
    reason: String,
    lookups: Option[Long],
    rowGroups: Long,
    sampled: Int,
    distinct: Long,
    distinctOfRowGroup: Long,
    holding: Double,
    keptNow: Kept,
    keptThen: Kept,
    keptSorted: Double,
    bytes: Long,
    cost: FilterCost,
    filters: Long,
    filterBytes: Long,
    filterFpp: Option[Double],
    dictionaries: Long,
    dictionaryBytes: Long) {

  /** Row groups that the advised filters save a lookup, where every other value is not there. */
  def saved: Double = keptNow.mean - keptThen.mean

  def row: Row = Row(
    column,
    dataType,
    advice,
    reason,
    lookups.orNull,
    rowGroups,
    sampled,
    distinct,
    distinctOfRowGroup,
    holding,
    keptNow.present,
    keptNow.absent,
    keptThen.present,
    keptThen.absent,
    keptSorted,
    bytes,
    cost.bytes,
    cost.fpp,
    filters,
    filterBytes,
    filterFpp.orNull,
    dictionaries,
    dictionaryBytes
  )
}

/** Row groups that a lookup reads: of a value that is there, and of one that is not. */
private[advise] final case class Kept(present: Double, absent: Double) {
  def mean: Double = (present + absent) / 2
}

private[spark] object ColumnAdvice {

  /** Some number of row groups fewer that is no reason to write filters. */
  private final val FewSaved = 0.5

  /** Filters that lie so often are as good as none. */
  private final val Saturated = 0.25

  /** Filters this many times as large as need be are worth being written anew. */
  private final val Oversized = 4

  val Schema: StructType = new StructType()
    .add("column", StringType, nullable = false)
    .add("type", StringType, nullable = false)
    .add("advice", StringType, nullable = false)
    .add("reason", StringType, nullable = false)
    .add("lookups", LongType)
    .add("row_groups", LongType, nullable = false)
    .add("sampled", IntegerType, nullable = false)
    .add("distinct", LongType, nullable = false)
    .add("distinct_of_row_group", LongType, nullable = false)
    .add("holding", DoubleType, nullable = false)
    .add("kept_present", DoubleType, nullable = false)
    .add("kept_absent", DoubleType, nullable = false)
    .add("kept_present_then", DoubleType, nullable = false)
    .add("kept_absent_then", DoubleType, nullable = false)
    .add("kept_sorted", DoubleType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("advised_bytes", LongType, nullable = false)
    .add("advised_fpp", DoubleType, nullable = false)
    .add("filters", LongType, nullable = false)
    .add("filter_bytes", LongType, nullable = false)
    .add("filter_fpp", DoubleType)
    .add("dictionaries", LongType, nullable = false)
    .add("dictionary_bytes", LongType, nullable = false)

  /**
   * @param fpp of the filters that may be advised
   * @param lookups that queries make of the column; None where nobody told
   */
  def of(e: ColumnEvidence, fpp: Double, lookups: Option[Long]): ColumnAdvice = {
    val cost = e.filtersOf(fpp)
    val now = kept(e, e.missedNow)
    val next = kept(e, math.min(e.missedNow, cost.fpp))
    val sorted =
      if (e.samples.isEmpty) e.keptByBounds
      else if (e.distinct == 0) 0
      else math.min(e.keptByBounds, 1 + e.rowGroups / e.distinct)
    val (advice, reason) = advise(e, cost, now, next, sorted, lookups)
    ColumnAdvice(
      e.column,
      e.dataType,
      advice,
      reason,
      lookups,
      math.round(e.rowGroups),
      e.samples.size,
      math.round(e.distinct),
      math.round(e.distinctOfRowGroup),
      e.holding,
      now,
      if (e.hasKind) next else now,
      sorted,
      e.bytes,
      if (e.hasKind) cost else FilterCost(0, 1),
      e.filters,
      e.filterBytes,
      if (e.existing.isEmpty) None else Some(ColumnEvidence.mean(e.existing.map(_.fpp))),
      e.dictionaries,
      e.dictionaryBytes
    )
  }

  /** @param missed how often a row group without the value is kept, of those that min/max keep */
  private def kept(e: ColumnEvidence, missed: Double): Kept =
    Kept(e.holding + (e.keptByBounds - e.holding) * missed, e.keptByBounds * missed)

  private def advise(
      e: ColumnEvidence,
      cost: FilterCost,
      now: Kept,
      next: Kept,
      sorted: Double,
      lookups: Option[Long]): (String, String) = {
    val gain =
      s"a lookup reads ${few(now.present)} row groups for a value that is there and ${few(now.absent)} for " +
        s"one that is not; with these filters ${few(next.present)} and ${few(next.absent)}"
    val hasAll = e.filters >= e.rowGroups * 0.99
    if (!e.hasKind) ("none", FilterRequest.WhyNone)
    else if (e.distinctOfRowGroup == 0) ("none", "the sampled row groups hold nothing but nulls")
    else if (lookups.contains(0L)) ("none", "none of the queries looks a value up in it")
    else if (hasAll && e.existing.nonEmpty) ofExisting(e, cost, gain)
    else if (e.keptByBounds <= e.holding + FewSaved && e.keptByBounds < 2)
      (
        "min/max",
        s"min/max keep ${few(e.keptByBounds)} row groups of a lookup, next to what filters could do")
    else if (e.missedNow < 0.01)
      ("dictionary", "dictionaries hold all values and tell as much as filters would")
    else if (now.mean - next.mean < FewSaved) ("none", s"filters save next to nothing: $gain")
    else if (now.present - next.present < FewSaved && sorted < now.present / 2)
      (
        "sort",
        s"most values are in most row groups: $gain. Sorted by this column, min/max would keep ${few(sorted)}")
    else ("attach", gain)
  }

  private def ofExisting(e: ColumnEvidence, cost: FilterCost, gain: String): (String, String) = {
    val fpp = ColumnEvidence.mean(e.existing.map(_.fpp))
    if (fpp > Saturated && cost.fpp < fpp / 2)
      ("replace", s"its filters are too full, with an FPP of ${share(fpp)}: $gain")
    else if (e.filterBytes > Oversized * cost.bytes)
      (
        "replace",
        s"its filters have ${whole(e.filterBytes)} bytes where ${whole(cost.bytes)} keep an FPP of ${share(cost.fpp)}")
    else ("keep", s"its filters have an FPP of ${share(fpp)}")
  }

  private def few(rowGroups: Double): String = text("%,.1f", rowGroups)
  private def whole(bytes: Long): String = text("%,d", bytes)
  private def share(fpp: Double): String = text("%.2g", fpp)
  private def text(format: String, value: Any): String =
    format.formatLocal(Locale.ROOT, value)
}
