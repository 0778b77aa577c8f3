package io.sbbf.spark.pages

import java.util.stream.IntStream
import java.util.{Arrays, PrimitiveIterator}

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder
import org.apache.parquet.internal.filter2.columnindex.RowRanges

/** Runs of row numbers of a file, in ascending order. Not thread-safe. */
private[pages] final class RowRuns {
  import RowRuns._

  private var bounds = new Array[Long](16)
  private var used = 0

  def isEmpty: Boolean = used == 0

  /** Adds a row behind all others, with the rows of a short gap before it. */
  def add(row: Long): Unit =
    if (used > 0 && row - bounds(used - 1) <= ShortGap) bounds(used - 1) = row + 1
    else {
      if (used == bounds.length) bounds = Arrays.copyOf(bounds, 2 * used)
      bounds(used) = row
      bounds(used + 1) = row + 1
      used += 2
    }

  /** Returns the runs inside a row group, as rows of the row group. */
  def within(rowGroup: BlockMetaData): RowRanges = {
    val (first, rows) = (rowGroup.getRowIndexOffset, rowGroup.getRowCount)
    // the wanted runs and the gaps between them are the pages of an index
    val starts = OffsetIndexBuilder.getBuilder
    var pages = 0
    val wanted = IntStream.builder()
    def begin(row: Long): Unit = { starts.add(0L, 0, row); pages += 1 }
    var last = -1L
    var i = 0
    while (i < used) {
      val (from, until) =
        (math.max(bounds(i) - first, 0L), math.min(bounds(i + 1) - first, rows))
      if (from < until) {
        if (from > 0 && from != last) begin(math.max(last, 0L))
        wanted.add(pages)
        begin(from)
        last = until
      }
      i += 2
    }
    if (last >= 0 && last < rows) begin(last)
    RowRanges.create(rows, wanted.build().iterator(): PrimitiveIterator.OfInt, starts.build())
  }
}

private[pages] object RowRuns {

  /** Gaps of at most so many rows between the first wanted ones are read, not skipped. */
  private final val ShortGap = 8L
}
