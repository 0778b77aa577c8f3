package io.sbbf.spark.advise

import org.apache.spark.sql.types._

import io.sbbf.spark.table.LakeFormat
import io.sbbf.spark.util.RowFields

/**
 * The advice on the filters of one column, with the numbers behind it.
 *
 * @param fpp the FPP of new filters
 * @param lookups the lookups of the given queries; None if no queries were given
 * @param format the format of the table whose properties make the filters; None for files alone
 */
private[spark] final case class ColumnAdvice(
    evidence: ColumnProfile,
    kept: KeptRowGroups,
    advice: Advice,
    reason: String,
    fpp: Double,
    lookups: Option[Long],
    format: Option[LakeFormat]) {

  /**
   * The row groups that a lookup reads after the advised change. If the advice is no change,
   * those that it reads once row groups without filters have some, or now if filters are useless.
   */
  def keptThen: LookupCost =
    if (evidence.whyNone.isDefined) kept.now
    else if (advice == Advice.Replace) kept.withNew
    else kept.withMore

  /** The bytes of the filters that would be written. */
  def newFilterBytes: Long = {
    val without =
      if (advice == Advice.Replace) evidence.rowGroups else evidence.rowGroups - evidence.filters
    math.round(math.max(0, without) * kept.filter.bytes)
  }

  /** What an index of the column would cost. */
  lazy val index: IndexCost = IndexCost.of(evidence, advice)

  /** The properties of the table that make the advised filters; None if there are no such. */
  def tableProperties: Option[Map[String, String]] =
    format
      .filter(_ => advice.isActionable)
      .map(_.properties(evidence.column, evidence.stored, evidence.mostNdvPerRowGroup, fpp))

  /** Sorts columns with something to do first, then by the row groups that lookups save. */
  private[advise] def order: (Boolean, Double, String) = {
    val saved = (kept.now.mean - keptThen.mean) * lookups.getOrElse(1L)
    (!advice.isActionable, -saved, evidence.column)
  }
}

private[spark] object ColumnAdvice {

  /** At most 25: of more, Spark warns that it has cut the text of a plan. */
  val Fields: RowFields[ColumnAdvice] = RowFields
    .of[ColumnAdvice]
    .add("path_in_schema", StringType)(_.evidence.column)
    .add("type", StringType)(_.evidence.dataType)
    .add("advice", StringType)(_.advice.name)
    .add("reason", StringType)(_.reason)
    .add("lookups", LongType, nullable = true)(_.lookups.orNull)
    .add("row_groups", LongType)(a => math.round(a.evidence.table.rowGroups))
    .add("sampled_row_groups", IntegerType)(_.evidence.sampled)
    .add("ndv", LongType)(a => math.round(a.evidence.ndv))
    .add("ndv_per_row_group", LongType)(a => math.round(a.evidence.ndvPerRowGroup))
    .add("row_groups_with_value", DoubleType)(_.evidence.containing)
    .add("kept_present", DoubleType)(_.kept.now.present)
    .add("kept_absent", DoubleType)(_.kept.now.absent)
    .add("new_kept_present", DoubleType)(_.keptThen.present)
    .add("new_kept_absent", DoubleType)(_.keptThen.absent)
    .add("kept_sorted", DoubleType)(_.kept.sorted)
    .add("column_bytes", LongType)(_.evidence.bytes)
    .add("fpp", DoubleType)(_.fpp)
    .add("new_filter_bytes", LongType)(_.newFilterBytes)
    .add("new_filter_fpp", DoubleType)(_.kept.filter.fpp)
    .add("filters", LongType)(_.evidence.filters)
    .add("filter_bytes", LongType)(_.evidence.filterBytes)
    .add("filter_fpp", DoubleType, nullable = true)(_.evidence.existingFpp.orNull)
    .add("index_bytes", LongType)(_.index.bytes)
    .add("index_pays", BooleanType)(_.index.pays)
    .add(
      "table_properties",
      MapType(StringType, StringType, valueContainsNull = false),
      nullable = true)(_.tableProperties.orNull)

  /**
   * Returns the advice for one column.
   *
   * @param fpp the FPP of new filters
   * @param lookups the lookups of queries in the column; None if no queries were given
   * @param format the format of the table whose properties make the filters; None for files alone
   */
  def of(
      evidence: ColumnProfile,
      fpp: Double,
      lookups: Option[Long],
      format: Option[LakeFormat]): ColumnAdvice = {
    val kept = KeptRowGroups.of(evidence, fpp)
    val (advice, reason) = Advice.of(evidence, kept, fpp, lookups)
    // tasks choose no pages of Iceberg tables, and writers of Delta tables write offset indexes
    val pages = if (format.isEmpty) wholeReads(evidence) else ""
    ColumnAdvice(evidence, kept, advice, reason + pages, fpp, lookups, format)
  }

  private def wholeReads(evidence: ColumnProfile): String =
    if (evidence.withoutOffsetIndex == 0) ""
    else
      f"; ${evidence.withoutOffsetIndex}%,d of its ${math.round(evidence.rowGroups)}%,d row groups " +
        "have no offset index, so tasks read all pages: pyarrow writes it with write_page_index=True"
}
