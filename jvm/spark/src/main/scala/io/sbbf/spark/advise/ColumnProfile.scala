package io.sbbf.spark.advise

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.sample.{ChunkSample, ColumnFacts, ExistingFilter, KmvSketch}
import io.sbbf.parquet.write.FilterRequest

/**
 * The evidence on one column of a table, and the row groups that a lookup in it reads. A lookup
 * searches for one value. A present value comes from a row group chosen at random. An absent
 * value is between the values of the table. All row groups here are those in which the column has
 * values.
 *
 * @param facts the facts of each file that was read and has the column
 * @param samples the samples of row groups chosen at random
 * @param bounded the row groups, among those read, that min/max keep for a sampled value on
 *   average
 */
private[advise] final class ColumnProfile(
    facts: Seq[ColumnFacts],
    samples: Seq[ChunkSample],
    bounded: Double,
    val table: SampleScope) {
  import ColumnProfile._

  private val seen = facts.map(_.chunks).sum
  private val sketches = samples.map(_.values).filter(_.distinct > 0)
  private val multiplicities = KmvSketch.multiplicities(sketches)

  def column: String = facts.head.column
  def dataType: String = facts.head.dataType

  /** The dotted Parquet path of the column in the files. */
  def stored: String = facts.head.stored

  /** The reason why filters of the column are useless, if they are. */
  def whyNone: Option[String] = facts.flatMap(_.whyNone).headOption

  /** Row groups with values; `sampled` counts those that were sampled. */
  val rowGroups: Double = seen * table.scale
  def sampled: Int = sketches.size

  /** Row groups without an offset index of the column, which tasks read whole. */
  def withoutOffsetIndex: Long = scaled(facts.map(_.withoutOffsetIndex.toLong).sum)

  def bytes: Long = scaled(facts.map(_.bytes).sum)

  /** Row groups that have a filter; `filterBytes` has the bytes of these filters. */
  def filters: Long = scaled(facts.map(_.filters.toLong).sum)
  def filterBytes: Long = scaled(facts.map(_.filterBytes).sum)

  /** Row groups with all values in a dictionary; `dictionaryBytes` has the bytes of these. */
  def dictionaries: Long = scaled(facts.map(_.dictionaries.toLong).sum)
  def dictionaryBytes: Long = scaled(facts.map(_.dictionaryBytes).sum)

  private val existing: Seq[(ExistingFilter, KmvSketch)] =
    samples.flatMap(sample => sample.filter.map(_ -> sample.values))

  /** The average FPP of the existing filters; None if the sample has none. */
  val existingFpp: Option[Double] =
    if (existing.isEmpty) None else Some(mean(existing.map(_._1.fpp)))

  /** Returns how many times as large the sample's filters are as filters of `fpp` would be. */
  def oversize(fpp: Double): Double =
    existing.map(_._1.bytes.toDouble).sum /
      math.max(1, existing.map { case (_, values) => sized(values, fpp).bytes }.sum)

  val ndvPerRowGroup: Double = mean(sketches.map(_.distinct))

  /** The most distinct values of a sampled row group. */
  def mostNdvPerRowGroup: Long =
    math.ceil(sketches.map(_.distinct).foldLeft(1.0)(_ max _)).toLong

  /** Whether all row groups are in the sample, which then leaves nothing to chance. */
  private def isWhole: Boolean = sampled >= rowGroups

  /** The probability that a row group holds a value of another one. */
  private val overlap: Double =
    if (sampled < 2) 0
    else
      multiplicities.map(c => c.toDouble * (c - 1)).sum / multiplicities.sum / (sampled - 1)

  /** Row groups that min/max keep for any lookup; all if nothing was sampled. */
  val keptByBounds: Double =
    if (seen < 2 || sampled == 0) rowGroups
    else 1 + math.max(0, bounded - 1) * (rowGroups - 1) / (seen - 1)

  /** The probability that min/max keep a row group for a value of another one. */
  private val byBounds: Double =
    if (rowGroups <= 1) 0 else (keptByBounds - 1) / (rowGroups - 1)

  /** Whether the sample shows how many of the row groups that min/max keep hold the value. */
  val isContainingKnown: Boolean =
    isWhole && sampled > 0 || sampled * (sampled - 1) * byBounds >= FewestPairs

  /** The approximate number of row groups to sample for [[isContainingKnown]]. */
  def enoughRowGroups: Int =
    math.min(rowGroups, 2 + math.sqrt(2 * FewestPairs / math.max(byBounds, 1e-9))).toInt

  /**
   * Row groups that hold a value of the column: the one that it comes from, and a share of the
   * others that min/max keep. The sample shows this share; otherwise all of them count.
   */
  val containing: Double =
    if (isWhole && sampled > 0) math.min(keptByBounds, 1 + (rowGroups - 1) * overlap)
    else if (!isContainingKnown) keptByBounds
    else 1 + (keptByBounds - 1) * math.min(1, overlap / byBounds)

  /** Distinct values of the table, counted if all row groups are in the sample. */
  val ndv: Double =
    if (sampled == 0) 0
    else if (isWhole) KmvSketch.union(sketches).distinct
    else {
      // each value counts once, however many row groups hold it
      val shares = multiplicities.map { c =>
        val others = if (sampled < 2) 0.0 else (c - 1.0) / (sampled - 1)
        c / (1 + (rowGroups - 1) * others)
      }
      rowGroups * ndvPerRowGroup * shares.sum / multiplicities.sum
    }

  /**
   * Returns the probability that the existing filters and dictionaries keep a row group without
   * the value, among those that min/max keep. If the sample has no filters, they are assumed to
   * have this FPP.
   */
  def missedNow(fpp: Double): Double = missed(existingFpp.getOrElse(fpp), 1)

  /** Returns the same after row groups without filters get filters of this FPP. */
  def missedWithMore(fpp: Double): Double = missed(existingFpp.getOrElse(fpp), fpp)

  /** Returns the same after all row groups get filters of this FPP. */
  def missedWithNew(fpp: Double): Double = missed(fpp, fpp)

  /** A dictionary never keeps a row group without the value. */
  private def missed(fppOfFilters: Double, fppOfOthers: Double): Double = {
    val filters = facts.map(_.filtersAlone).sum
    val others = seen - filters - facts.map(_.dictionaries).sum
    (filters * fppOfFilters + others * fppOfOthers) / math.max(1, seen)
  }

  /** Returns the average filter that a row group would get for an FPP. */
  def filterOf(fpp: Double): FilterCost = {
    val sizes = sketches.map(sized(_, fpp))
    FilterCost(mean(sizes.map(_.bytes)), mean(sizes.map(_.fpp)))
  }

  private def sized(values: KmvSketch, fpp: Double): FilterCost = {
    val ndv = math.ceil(values.distinct).toLong
    val bytes = math.min(FilterRequest.DefaultLargestBytes, FilterSizing.bytesFor(ndv, fpp))
    FilterCost(bytes.toDouble, FilterSizing.falsePositiveProbability(ndv, bytes))
  }

  private def scaled(count: Long): Long = math.round(count * table.scale)
}

private[advise] object ColumnProfile {

  /**
   * The fewest pairs of sampled row groups that show anything, where min/max keep one for values
   * of the other.
   */
  private final val FewestPairs = 5.0

  private def mean(numbers: Seq[Double]): Double =
    if (numbers.isEmpty) 0 else numbers.sum / numbers.size
}

/**
 * The part of a table whose footers were read.
 *
 * @param seen the row groups of that part
 * @param scale the size of the table as a multiple of that part
 */
private[advise] final case class SampleScope(seen: Int, scale: Double) {
  def rowGroups: Double = seen * scale
}

/** The average size and FPP of one row group's filter. */
private[advise] final case class FilterCost(bytes: Double, fpp: Double)
