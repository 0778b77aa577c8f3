package io.sbbf.spark.advise

import io.sbbf.index.build.KeyPacking

/**
 * What an index of a column costs, and whether it pays beside filters.
 *
 * @param bytes its size
 * @param pays whether a lookup would read much less with it: the table has so many row groups that
 *   planning takes long to check their filters, and min/max or dictionaries do not suffice
 */
private[advise] final case class IndexCost(bytes: Long, pays: Boolean)

private[advise] object IndexCost {

  /** Below, the filters of all row groups fit into the driver's memory, and few of them err. */
  private final val ManyRowGroups = 4000

  /** The advice on columns in which lookups of values need more than min/max and dictionaries. */
  private val ForLookups = Set[Advice](Advice.Add, Advice.Replace, Advice.Keep)

  def of(evidence: ColumnProfile, advice: Advice): IndexCost =
    if (evidence.whyNone.isDefined || evidence.rowGroups < 1) IndexCost(0, pays = false)
    else of(evidence.rowGroups, evidence.ndvPerRowGroup, advice)

  private[advise] def of(rowGroups: Double, ndvPerRowGroup: Double, advice: Advice): IndexCost = {
    val entries = math.max(1L, math.round(rowGroups * ndvPerRowGroup))
    val packing = KeyPacking.of(entries, math.min(Int.MaxValue.toDouble, rowGroups).toInt)
    IndexCost(entries * packing.bitsOfEntry / 8, rowGroups >= ManyRowGroups && ForLookups(advice))
  }
}
