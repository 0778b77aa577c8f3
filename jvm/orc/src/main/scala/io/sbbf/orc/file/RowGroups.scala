package io.sbbf.orc.file

import org.apache.orc.ColumnStatistics
import org.apache.orc.util.BloomFilter

/**
 * What the index of a stripe states about one column in each of its row groups.
 *
 * @param statistics the statistics of each row group, null for those that are unusable
 * @param filters the bloom filter of each row group, null where there is none; empty if the column
 *   has no filters
 */
private[orc] final class RowGroups(
    val statistics: Array[ColumnStatistics],
    filters: Array[BloomFilter]) {

  def size: Int = statistics.length

  /** Returns the filter of a row group, null if there is none. */
  def filter(rowGroup: Int): BloomFilter =
    if (rowGroup < filters.length) filters(rowGroup) else null

  /** The estimated size in memory. */
  def bytes: Long = size * RowGroups.StatisticsBytes +
    filters.iterator.filter(_ != null).map(_.sizeInBytes + RowGroups.FilterOverhead).sum
}

private[orc] object RowGroups {
  final val StatisticsBytes = 160L
  private final val FilterOverhead = 64L
}
