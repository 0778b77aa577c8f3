package io.sbbf.parquet.chunk

import java.util.concurrent.atomic.AtomicLong

/** Counts the pruning passes of this JVM, so that caches know what a pass has used. */
private[sbbf] object PassCounter {
  private val passes = new AtomicLong

  /** Returns the number of the latest pass. */
  def latest: Long = passes.get

  /** Begins a pass and returns its number, which is higher than those of all earlier ones. */
  def begin(): Long = passes.incrementAndGet()
}
