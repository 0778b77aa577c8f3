package io.sbbf.spark.advise

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.sample.{ChunkSample, ColumnFacts, ExistingFilter, KmvSketch}
import io.sbbf.parquet.write.FilterRequest

/**
 * What is known of one column of a table, and the row groups that a lookup reads by it. A lookup asks for one value:
 * one of a row group taken by chance, or one that the table does not have and that lies among those that it has. All
 * row groups here are those in which the column has values.
 *
 * @param facts of each file that was looked at and has the column
 * @param samples of row groups taken by chance
 * @param bounded row groups, of those looked at, that min/max keep of a value of the samples on average
 */
private[advise] final class ColumnEvidence(
    facts: Seq[ColumnFacts],
    samples: Seq[ChunkSample],
    bounded: Double,
    val table: SampleScope) {
  import ColumnEvidence._

  private val seen = facts.map(_.chunks).sum
  private val sketches = samples.map(_.values).filter(_.distinct > 0)
  private val multiplicities = KmvSketch.multiplicities(sketches)

  def column: String = facts.head.column
  def dataType: String = facts.head.dataType

  /** Why filters of it are of no use, if they are of none. */
  def whyNone: Option[String] = facts.flatMap(_.whyNone).headOption

  /** Row groups with values, and those of them that were sampled. */
  val rowGroups: Double = seen * table.scale
  def sampled: Int = sketches.size

  def bytes: Long = scaled(facts.map(_.bytes).sum)

  /** Row groups that have a filter, and the bytes of these. */
  def filters: Long = scaled(facts.map(_.filters.toLong).sum)
  def filterBytes: Long = scaled(facts.map(_.filterBytes).sum)

  /** Row groups all of whose values are in a dictionary, and the bytes of these. */
  def dictionaries: Long = scaled(facts.map(_.dictionaries.toLong).sum)
  def dictionaryBytes: Long = scaled(facts.map(_.dictionaryBytes).sum)

  private val existing: Seq[(ExistingFilter, KmvSketch)] =
    samples.flatMap(sample => sample.filter.map(_ -> sample.values))

  /** The FPP of the filters that there are, on average; None where the sample has none. */
  val existingFpp: Option[Double] =
    if (existing.isEmpty) None else Some(mean(existing.map(_._1.fpp)))

  /** How many times as large the sample's filters are as those of an FPP would be. */
  def oversize(fpp: Double): Double =
    existing.map(_._1.bytes.toDouble).sum /
      math.max(1, existing.map { case (_, values) => sized(values, fpp).bytes }.sum)

  val ndvPerRowGroup: Double = mean(sketches.map(_.distinct))

  /** Whether all row groups are in the sample, which then leaves nothing to chance. */
  private def isWhole: Boolean = sampled >= rowGroups

  /** How often a row group holds a value of another one. */
  private val overlap: Double =
    if (sampled < 2) 0
    else
      multiplicities.map(c => c.toDouble * (c - 1)).sum / multiplicities.sum / (sampled - 1)

  /** Row groups that min/max keep of any lookup; all where nothing was sampled. */
  val keptByBounds: Double =
    if (seen < 2 || sampled == 0) rowGroups
    else 1 + math.max(0, bounded - 1) * (rowGroups - 1) / (seen - 1)

  /** How often min/max keep a row group of a value of another one. */
  private val byBounds: Double =
    if (rowGroups <= 1) 0 else (keptByBounds - 1) / (rowGroups - 1)

  /** Whether the sample shows how many of the row groups that min/max keep hold the value. */
  val isHoldingKnown: Boolean =
    isWhole && sampled > 0 || sampled * (sampled - 1) * byBounds >= FewestPairs

  /** Row groups to sample, about, for [[isHoldingKnown]]. */
  def enoughRowGroups: Int =
    math.min(rowGroups, 2 + math.sqrt(2 * FewestPairs / math.max(byBounds, 1e-9))).toInt

  /**
   * Row groups that hold a value of the column: that which it was taken from, and of those others that min/max keep
   * the share that the sample shows. Where it shows none, all of them.
   */
  val containing: Double =
    if (isWhole && sampled > 0) math.min(keptByBounds, 1 + (rowGroups - 1) * overlap)
    else if (!isHoldingKnown) keptByBounds
    else 1 + (keptByBounds - 1) * math.min(1, overlap / byBounds)

  /** Distinct values of the table: counted where all row groups are in the sample. */
  val ndv: Double =
    if (sampled == 0) 0
    else if (isWhole) KmvSketch.union(sketches).distinct
    else {
      // each value counts once, in however many row groups it is
      val shares = multiplicities.map { c =>
        val others = if (sampled < 2) 0.0 else (c - 1.0) / (sampled - 1)
        c / (1 + (rowGroups - 1) * others)
      }
      rowGroups * ndvPerRowGroup * shares.sum / multiplicities.sum
    }

  /**
   * How often what there is keeps a row group without the value, of those that min/max keep. Filters of which the
   * sample has none are taken to have this FPP.
   */
  def missedNow(fpp: Double): Double = missed(existingFpp.getOrElse(fpp), 1)

  /** The same once the row groups without filters have some of this FPP. */
  def missedWithMore(fpp: Double): Double = missed(existingFpp.getOrElse(fpp), fpp)

  /** The same once all row groups have filters of this FPP. */
  def missedWithNew(fpp: Double): Double = missed(fpp, fpp)

  /** Of a dictionary nothing is missed. */
  private def missed(fppOfFilters: Double, fppOfOthers: Double): Double = {
    val filters = facts.map(_.filtersAlone).sum
    val others = seen - filters - facts.map(_.dictionaries).sum
    (filters * fppOfFilters + others * fppOfOthers) / math.max(1, seen)
  }

  /** The filters that a row group would get for an FPP, on average. */
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

private[advise] object ColumnEvidence {

  /** Pairs of sampled row groups, one of which min/max keep of the other's values, that tell anything. */
  private final val FewestPairs = 5.0

  private def mean(numbers: Seq[Double]): Double =
    if (numbers.isEmpty) 0 else numbers.sum / numbers.size
}
