package io.sbbf.parquet.values

/** Takes hashes, a batch at a time. */
private[parquet] trait HashSink {

  /** Those up to `until`; the array is the caller's, who fills it anew. */
  def add(hashes: Array[Long], until: Int): Unit
}
