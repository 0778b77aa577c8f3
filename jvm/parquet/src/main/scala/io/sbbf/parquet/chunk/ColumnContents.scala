package io.sbbf.parquet.chunk

import java.util.concurrent.atomic.AtomicReferenceArray

/**
 * Holds the filters and dictionaries that were read from a column's chunks in one file. Entries are
 * only added, and immutable, so threads can share them. Two threads may read the same entry at once
 * without harm.
 */
private[parquet] final class ColumnContents(val column: Int, rowGroups: Int) {
  import ColumnContents._

  val filters = new Entries[FilterState](rowGroups)
  val dictionaries = new Entries[DictionaryReader.State](rowGroups)

  /** The latest pass that used the column. */
  @volatile var lastUse: Long = PassCounter.latest

  /** Returns the heap that the contents hold, in bytes. */
  def retainedBytes: Long = 56L + filters.retainedBytes + dictionaries.retainedBytes
}

private[parquet] object ColumnContents {

  /** Holds one entry for each row group that was read. */
  final class Entries[T <: AnyRef](rowGroups: Int) {
    @volatile private var entries: AtomicReferenceArray[T] = _
    private var retained = 0L

    /** Returns the entry, or null. */
    def get(rowGroup: Int): T = {
      val known = entries
      if (known == null) null.asInstanceOf[T] else known.get(rowGroup)
    }

    /**
     * Adds an entry unless there is one, and returns the one that is there: this or an earlier
     * one.
     *
     * @param bytes the heap that the entry holds
     */
    def publish(rowGroup: Int, entry: T, bytes: Long): T = synchronized {
      if (entries == null) {
        entries = new AtomicReferenceArray[T](rowGroups)
        retained += 16L + 8L * rowGroups
      }
      if (entries.get(rowGroup) == null) {
        entries.set(rowGroup, entry)
        retained += bytes
      }
      entries.get(rowGroup)
    }

    def retainedBytes: Long = synchronized(32L + retained)
  }
}
