package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.RowGroup

/**
 * Limits the lengths of bloom filters by their neighbours. Writers store filters, column chunks and
 * page indexes side by side. So a filter ends at the latest where the next structure starts that
 * the footer names. Some writers store bytes of their own behind it (QuestDB).
 *
 * If the footer states no valid length (parquet-mr before 1.14), this detects a header that claims
 * more than there is. It also detects an offset of another chunk's filter.
 */
private[parquet] object FilterExtents {
  private final val Invalid = -1

  /**
   * Replaces lengths that are missing, larger than the place of the filter, or those of no filter, by
   * the size of that place, and marks these chunks as [[Chunks.Bounded]] if the writer may store more
   * in it. A length becomes -1 if two filters start at one offset, or if a filter has no place.
   *
   * @param hasGaps whether the writer is known to store bytes of its own behind a filter. Of any other, a
   *   filter that ends before the next structure is one whose neighbour's offset is damaged
   * @param offsets the offsets of the filters by chunk; 0 where there is none
   * @param lengths the lengths of header and bitset by chunk, 0 where they are missing; updated in
   *   place
   * @param flags the flags of the chunks, which are updated in place
   */
  def measure(
      rowGroups: util.List[RowGroup],
      footerStart: Long,
      hasGaps: Boolean,
      offsets: Array[Long],
      lengths: Array[Int],
      flags: Array[Byte]): Unit =
    if (offsets.exists(_ > 0)) {
      val starts = startsIn(rowGroups, offsets) :+ footerStart
      util.Arrays.sort(starts)
      var i = 0
      while (i < offsets.length) {
        if (offsets(i) > 0) {
          val available = place(offsets(i), starts)
          if (available <= 0) lengths(i) = Invalid
          else if (lengths(i) > available || lengths(i) < available && !isOfFilter(lengths(i))) {
            lengths(i) = math.min(available, Int.MaxValue.toLong).toInt
            if (hasGaps) flags(i) = (flags(i) | Chunks.Bounded).toByte
          }
        }
        i += 1
      }
    }

  /** Returns whether a filter of parquet-mr has this length, whose bitset is a power of two. */
  def isOfParquetMr(length: Int): Boolean =
    numBytes(length).exists(n => n >= 32 && Integer.bitCount(n) == 1)

  private def isOfFilter(length: Int): Boolean =
    numBytes(length).exists(n => n > 0 && n % 32 == 0)

  /**
   * Returns the length of the bitset, if a header of today precedes it: the length as a zigzag varint
   * and 14 other bytes.
   */
  private def numBytes(length: Int): Option[Int] = (1 to 5).map(length - 14 - _).find { n =>
    val bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * n)
    (bits + 6) / 7 == length - 14 - n
  }

  /** Returns the bytes from a filter to the next structure; 0 if another filter starts there too. */
  private def place(offset: Long, starts: Array[Long]): Long = {
    val at = util.Arrays.binarySearch(starts, offset)
    def isShared(other: Int): Boolean =
      other >= 0 && other < starts.length && starts(other) == offset
    if (isShared(at - 1) || isShared(at + 1) || at + 1 >= starts.length) 0
    else starts(at + 1) - offset
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
