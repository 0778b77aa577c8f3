package io.sbbf.parquet.write

import io.sbbf.parquet.values.ValueHasher

/** Builds the bloom filters of one column, one row group after the other. Not thread-safe. */
private[parquet] final class FilterBuilder(request: FilterRequest) {
  private val distinct = new DistinctHashes(request.fpp, request.maxBytes)

  /** Receives the values of the column. */
  val values: ValueHasher = ValueHasher.of(request.kind, distinct)

  /**
   * Returns the filter of the values since the last call, and starts a new one. Returns None if
   * there were fewer than `minNdv` distinct values.
   */
  def result(): Option[Array[Byte]] = {
    values.flush()
    distinct.result(request.minNdv)
  }
}
