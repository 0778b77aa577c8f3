package io.sbbf.spark.files

/** The bytes of files that the results of all jobs of this driver may hold together. Thread-safe. */
private[files] object ResultBudget {
  private var reserved = 0L

  /** Reserves what other jobs leave of `most` bytes. Returns how many these are. */
  def reserve(most: Long): Long = synchronized {
    val free = math.max(0L, most - reserved)
    reserved += free
    free
  }

  /** Releases bytes that [[reserve]] has returned. */
  def release(bytes: Long): Unit = synchronized(reserved -= bytes)
}
