package io.sbbf.parquet.chunk

import java.util.concurrent.atomic.{AtomicLong, AtomicReferenceArray}

/**
 * Caches the contents that were read from a file's column chunks. The cache only grows. Entries
 * are immutable, so threads can share them. Two threads may read the same entry at once without
 * harm.
 */
private[parquet] final class ChunkCache[T <: AnyRef](rowGroups: Int, columns: Int) {
  private val byColumn = new AtomicReferenceArray[AtomicReferenceArray[T]](columns)
  private val retained = new AtomicLong

  /** Returns the entry, or null. */
  def get(rowGroup: Int, column: Int): T = {
    val entries = byColumn.get(column)
    if (entries == null) null.asInstanceOf[T] else entries.get(rowGroup)
  }

  /**
   * Adds an entry unless there is one, and returns the entry of the cache: this or an earlier one.
   *
   * @param bytes the heap that the entry holds
   */
  def publish(rowGroup: Int, column: Int, entry: T, bytes: Long): T = {
    if (byColumn.get(column) == null &&
      byColumn.compareAndSet(column, null, new AtomicReferenceArray[T](rowGroups)))
      retained.addAndGet(16L + 8L * rowGroups)
    if (byColumn.get(column).compareAndSet(rowGroup, null.asInstanceOf[T], entry))
      retained.addAndGet(bytes)
    get(rowGroup, column)
  }

  /** Returns the heap that the cache and its entries hold, in bytes. */
  def retainedBytes: Long = 64L + 8L * columns + retained.get
}
