package io.sbbf.parquet.write

import io.sbbf.parquet.values.ValueHasher

/** The bloom filters of one column, row group after row group. Not thread-safe. */
private[parquet] final class FilterBuilder(request: FilterRequest) {
  private val distinct = new DistinctHashes(request.fpp, request.maxBytes)

  /** Takes the values that pass. */
  val values: ValueHasher = ValueHasher.of(request.kind, distinct)

  /** The filter of the values since the last time, `None` if there were too few; starts anew. */
  def result(): Option[Array[Byte]] = {
    values.flush()
    distinct.result(request.minNdv)
  }
}
