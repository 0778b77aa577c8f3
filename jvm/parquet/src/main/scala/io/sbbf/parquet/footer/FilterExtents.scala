package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.RowGroup

/**
 * How long bloom filters can be. Writers put them, column chunks and page indexes side by side:
 * a filter ends where the next thing starts that the footer names. That sees through a header
 * that claims half of its filter, or twice as much, where the footer tells no length (parquet-mr
 * before 1.14), and through an offset that leads to another chunk's filter.
 */
private[parquet] object FilterExtents {
  private final val Invalid = -1

  /**
   * Writes into `lengths` (of header and bitset, by chunk) what is not told, which is 0, and -1
   * for what cannot be: two filters at one place, or one that reaches into something else.
   *
   * @param offsets where the filters start, by chunk; 0 where there is none
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

  private def measured(offset: Long, told: Int, starts: Array[Long]): Int = {
    val at = util.Arrays.binarySearch(starts, offset)
    def isShared(other: Int): Boolean =
      other >= 0 && other < starts.length && starts(other) == offset
    val room = if (at + 1 < starts.length) starts(at + 1) - offset else 0
    if (isShared(at - 1) || isShared(at + 1) || told > room) Invalid
    else if (told != 0) told
    else if (room <= Int.MaxValue) room.toInt
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
