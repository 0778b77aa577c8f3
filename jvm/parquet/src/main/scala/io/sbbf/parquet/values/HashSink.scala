package io.sbbf.parquet.values

/** Receives hashes in batches. */
private[parquet] trait HashSink {

  /** Receives the hashes before position `until`. The caller owns the array and reuses it. */
  def add(hashes: Array[Long], until: Int): Unit
}
