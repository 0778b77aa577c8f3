package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.RowGroup

/**
 * Derives the lengths of bloom filters from their neighbours. Writers store filters, column
 * chunks and page indexes side by side. So a filter ends where the next structure starts that the
 * footer names.
 *
 * If the footer states no length (parquet-mr before 1.14), this detects a header that claims
 * half or twice the size of its filter. It also detects an offset of another chunk's filter.
 */
private[parquet] object FilterExtents {
  private final val Invalid = -1

  /**
   * Replaces missing lengths, which are 0, by derived ones, and invalid lengths by -1. A length is
   * invalid if two filters start at one offset, or if the filter overlaps another structure.
   *
   * @param offsets the offsets of the filters by chunk; 0 where there is none
   * @param lengths the lengths of header and bitset by chunk, which are updated in place
   */
  def measure(
      rowGroups: util.List[RowGroup],
      footerStart: Long,
      offsets: Array[Long],
      lengths: Array[Int]): Unit =
    if (offsets.exists(_ > 0)) {
      val starts = startsIn(rowGroups, offsets) :+ footerStart
      util.Arrays.sort(starts)
      var i = 0
      while (i < offsets.length) {
        if (offsets(i) > 0) lengths(i) = measured(offsets(i), lengths(i), starts)
        i += 1
      }
    }

  private def measured(offset: Long, stored: Int, starts: Array[Long]): Int = {
    val at = util.Arrays.binarySearch(starts, offset)
    def isShared(other: Int): Boolean =
      other >= 0 && other < starts.length && starts(other) == offset
    val available = if (at + 1 < starts.length) starts(at + 1) - offset else 0
    if (isShared(at - 1) || isShared(at + 1) || stored > available) Invalid
    else if (stored != 0) stored
    else if (available <= Int.MaxValue) available.toInt
    else Invalid
  }

  private def startsIn(rowGroups: util.List[RowGroup], filters: Array[Long]): Array[Long] = {
    val starts = Array.newBuilder[Long]
    def add(offset: Long): Unit = if (offset > 0) starts += offset
    filters.foreach(add)
    rowGroups.forEach(_.getColumns.forEach { chunk =>
      add(chunk.getColumn_index_offset)
      add(chunk.getOffset_index_offset)
      if (chunk.isSetMeta_data) {
        add(chunk.getMeta_data.getData_page_offset)
        add(chunk.getMeta_data.getDictionary_page_offset)
      }
    })
    starts.result()
  }
}
