package io.sbbf.spark.advise

/**
 * Row groups that a lookup reads.
 *
 * @param now with the existing min/max, dictionaries and filters
 * @param withMore after row groups without filters get ones like `filter`
 * @param withNew after all row groups get ones like `filter`
 * @param sorted by min/max alone, for a present value, if the table were sorted by the column
 * @param filter the average new filter
 */
private[advise] final case class KeptRowGroups(
    now: LookupCost,
    withMore: LookupCost,
    withNew: LookupCost,
    sorted: Double,
    filter: FilterCost)

private[advise] object KeptRowGroups {
  def of(e: ColumnProfile, fpp: Double): KeptRowGroups = {
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

/**
 * The average number of row groups that a lookup reads, for a present and for an absent value.
 */
private[advise] final case class LookupCost(present: Double, absent: Double) {

  /** The mean over lookups of which every other one is for an absent value. */
  def mean: Double = (present + absent) / 2
}
