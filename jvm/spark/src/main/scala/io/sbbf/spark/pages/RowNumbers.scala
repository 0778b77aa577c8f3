package io.sbbf.spark.pages

import java.util.PrimitiveIterator

import org.apache.parquet.column.page.PageReadStore

/** The numbers in their file of the rows that a reader returns, in order. Not thread-safe. */
private[pages] final class RowNumbers {
  private var following = 0L
  private var first = 0L
  private var chosen: PrimitiveIterator.OfLong = _

  /**
   * Begins a row group.
   *
   * @throws java.util.NoSuchElementException if its place in the file is unknown
   */
  def begin(rowGroup: PageReadStore): Unit = {
    first = rowGroup.getRowIndexOffset.get
    following = first
    chosen = rowGroup.getRowIndexes.orElse(null) // rows that the column index leaves
  }

  def next(): Long =
    if (chosen != null) first + chosen.nextLong()
    else {
      following += 1
      following - 1
    }
}
