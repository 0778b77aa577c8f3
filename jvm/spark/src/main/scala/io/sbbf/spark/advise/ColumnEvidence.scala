package io.sbbf.spark.advise

import io.sbbf.core.FilterSizing
import io.sbbf.parquet.sample.{ChunkSample, ColumnFacts, ExistingFilter, Sketch}
import io.sbbf.parquet.write.FilterRequest

/**
 * What is known of one column of a table, and the row groups that a lookup reads by it. A lookup asks for one value;
 * it is either one of a row group taken by chance, or one that the table does not have.
 *
 * @param facts of each file that was looked at and has the column
 * @param samples of row groups taken by chance
 * @param bounded row groups, of those looked at, that min/max keep of a lookup on average
 * @param seen row groups that were looked at
 * @param scale how many times as large the table is as what was looked at
 */
private[advise] final case class ColumnEvidence(
    facts: Seq[ColumnFacts],
    samples: Seq[ChunkSample],
    bounded: Double,
    seen: Int,
    scale: Double) {
  import ColumnEvidence._

  private val sketches = samples.map(_.values)

  def column: String = facts.head.column
  def dataType: String = facts.head.dataType
  def hasKind: Boolean = facts.exists(_.kind.isDefined)

  def rowGroups: Double = seen * scale
  def bytes: Long = scaled(facts.map(_.bytes).sum)

  /** Row groups that have a filter, and the bytes of these. */
  def filters: Long = scaled(facts.map(_.filters.toLong).sum)
  def filterBytes: Long = scaled(facts.map(_.filterBytes).sum)

  /** Row groups all of whose values are in a dictionary, and the bytes of these. */
  def dictionaries: Long = scaled(facts.map(_.dictionaries.toLong).sum)
  def dictionaryBytes: Long = scaled(facts.map(_.dictionaryBytes).sum)

  /** What sampled row groups have for a filter. */
  val existing: Seq[ExistingFilter] = samples.flatMap(_.filter)

  val distinctOfRowGroup: Double = mean(sketches.map(_.distinct))

  /**
   * Row groups that hold a value of the column: the one that it was taken from, and of each other one the
   * [[Sketch.overlap]]. All of them where nothing was sampled.
   */
  val holding: Double =
    if (samples.isEmpty) rowGroups
    else if (distinctOfRowGroup == 0) 0
    else if (sketches.size < 2) 1
    else math.min(rowGroups, 1 + (rowGroups - 1) * Sketch.overlap(sketches))

  /** Distinct values of the table: counted where all row groups are in the sample. */
  val distinct: Double =
    if (distinctOfRowGroup == 0) 0
    else {
      val ofSample = Sketch.union(sketches).distinct
      if (sketches.size >= rowGroups) ofSample
      else math.max(ofSample, rowGroups * distinctOfRowGroup / holding)
    }

  /** Row groups that min/max keep of any lookup. */
  val keptByBounds: Double = math.max(holding, bounded * scale)

  /** How often dictionaries and filters that are there keep a row group without the value. */
  def missedNow: Double = {
    val byFilter = share(facts.map(_.filters).sum)
    val fpp = if (existing.isEmpty) 1 else mean(existing.map(_.fpp))
    (1 - share(facts.map(_.dictionaries).sum)) * (1 - byFilter + byFilter * fpp)
  }

  private def share(chunks: Int): Double = math.min(1, chunks.toDouble / math.max(1, seen))
  private def scaled(count: Long): Long = math.round(count * scale)

  /** The filters that each row group would get for an FPP. */
  def filtersOf(fpp: Double): FilterCost = {
    val sizes = sketches.map { sketch =>
      val ndv = math.ceil(sketch.distinct).toLong
      val bytes = math.min(FilterRequest.DefaultLargestBytes, FilterSizing.bytesFor(ndv, fpp))
      (bytes.toDouble, FilterSizing.falsePositiveProbability(ndv, bytes))
    }
    FilterCost(math.round(mean(sizes.map(_._1)) * rowGroups), mean(sizes.map(_._2)))
  }
}

/**
 * @param bytes of all filters of a column
 * @param fpp on average
 */
private[advise] final case class FilterCost(bytes: Long, fpp: Double)

private[advise] object ColumnEvidence {
  def mean(numbers: Seq[Double]): Double = if (numbers.isEmpty) 0 else numbers.sum / numbers.size
}
