package io.sbbf.parquet.chunk

import java.util.concurrent.atomic.{AtomicLong, AtomicReferenceArray}

/**
 * What has been read of a file's column chunks. Grows only; entries are immutable, so that any
 * thread may use what any other has published, and reading one twice at the same time does no
 * harm.
 */
private[parquet] final class ChunkCache[T <: AnyRef](rowGroups: Int, columns: Int) {
  private val byColumn = new AtomicReferenceArray[AtomicReferenceArray[T]](columns)
  private val retained = new AtomicLong

  /** The entry, or null. */
  def get(rowGroup: Int, column: Int): T = {
    val entries = byColumn.get(column)
    if (entries == null) null.asInstanceOf[T] else entries.get(rowGroup)
  }

  /** The entry that counts from now on: this one or an earlier one. */
  def publish(rowGroup: Int, column: Int, entry: T, bytes: Long): T = {
    if (byColumn.get(column) == null &&
      byColumn.compareAndSet(column, null, new AtomicReferenceArray[T](rowGroups)))
      retained.addAndGet(16L + 8L * rowGroups)
    if (byColumn.get(column).compareAndSet(rowGroup, null.asInstanceOf[T], entry))
      retained.addAndGet(bytes)
    get(rowGroup, column)
  }

  def retainedBytes: Long = 64L + 8L * columns + retained.get
}
