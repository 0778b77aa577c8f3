package io.sbbf.orc.file

import org.apache.orc.util.BloomFilter
import org.apache.orc.{ColumnStatistics, StringColumnStatistics}

/**
 * What the index of a stripe states about one column in each of its row groups.
 *
 * @param statistics the statistics of each row group, null for those that are unusable
 * @param filters the bloom filter of each row group, null where there is none; empty if the column
 *   has no filters
 * @param stride the number of rows of each row group but the last
 * @param stripeRows the number of rows of the stripe
 */
private[orc] final class RowGroups(
    val statistics: Array[ColumnStatistics],
    filters: Array[BloomFilter],
    stride: Int,
    stripeRows: Long) {

  def size: Int = statistics.length

  /** Returns the filter of a row group, null if there is none. */
  def filter(rowGroup: Int): BloomFilter =
    if (rowGroup < filters.length) filters(rowGroup) else null

  /** Returns the number of rows of a row group. */
  def rows(rowGroup: Int): Long = math.min(stride.toLong, stripeRows - rowGroup.toLong * stride)

  /** The estimated size in memory. */
  def bytes: Long = RowGroups.bytesOf(statistics) +
    filters.iterator.filter(_ != null).map(_.sizeInBytes + RowGroups.FilterOverhead).sum
}

private[orc] object RowGroups {
  private final val StatisticsBytes = 160L
  private final val FilterOverhead = 64L

  /** Returns the estimated size of statistics in memory; texts have bounds of up to 1,024 bytes. */
  def bytesOf(statistics: Array[ColumnStatistics]): Long =
    statistics.iterator.map {
      case texts: StringColumnStatistics =>
        StatisticsBytes + 2L * (lengthOf(texts.getLowerBound) + lengthOf(texts.getUpperBound))
      case _ => StatisticsBytes
    }.sum

  private def lengthOf(text: String): Int = if (text == null) 0 else text.length
}
