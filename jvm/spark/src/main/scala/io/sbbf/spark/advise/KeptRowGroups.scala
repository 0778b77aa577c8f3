package io.sbbf.spark.advise

/**
 * Row groups that a lookup reads.
 *
 * @param now by what there is: min/max, dictionaries and filters
 * @param withMore once the row groups without filters have such as `filter`
 * @param withNew once all row groups have them
 * @param sorted by min/max alone, of a value that is there, were the table sorted by the column
 */
private[advise] final case class KeptRowGroups(
    now: LookupCost,
    withMore: LookupCost,
    withNew: LookupCost,
    sorted: Double,
    filter: FilterCost)

private[advise] object KeptRowGroups {
  def of(e: ColumnEvidence, fpp: Double): KeptRowGroups = {
    val filter = e.filterOf(fpp)
    def kept(missed: Double) =
      LookupCost(e.containing + (e.keptByBounds - e.containing) * missed, e.keptByBounds * missed)
    KeptRowGroups(
      kept(e.missedNow(filter.fpp)),
      kept(e.missedWithMore(filter.fpp)),
      kept(e.missedWithNew(filter.fpp)),
      if (e.ndv == 0) e.keptByBounds else math.min(e.keptByBounds, 1 + e.rowGroups / e.ndv),
      filter
    )
  }
}
