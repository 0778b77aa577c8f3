package io.sbbf.parquet.write

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.values.{ValueHasher, ValueKind}

/**
 * Requests bloom filters for one column of a file.
 *
 * @param column the column's number among the leaves of the schema, which is also the number of
 *   its chunks
 * @param kind the way in which the column's values are hashed
 * @param fpp the FPP of each filter, if `maxBytes` allows
 * @param maxBytes the size of the largest filter, a power of two
 * @param minNdv the fewest distinct values for which a row group gets a filter
 * @param withDictionary whether a row group also gets a filter if its dictionary holds all values
 */
private[sbbf] final case class FilterRequest(
    column: Int,
    kind: ValueKind,
    fpp: Double,
    maxBytes: Int,
    minNdv: Int = 1,
    withDictionary: Boolean = true)

private[sbbf] object FilterRequest {

  /** The most distinct values that are counted exactly, which is also the largest `minNdv`. */
  final val MostCounted = DistinctHashes.MostCounted

  /**
   * The default size of the largest filter: 32 MiB, enough for 25 million distinct values in a
   * row group at 1 %. A row group usually has 128 MiB of data, which is 16 million numbers of 8
   * bytes.
   */
  final val DefaultLargestBytes = 32 * 1024 * 1024

  /**
   * Returns the size of the largest bitset for at most `ndv` distinct values in a row group.
   *
   * @param maxBytes an upper limit; [[DefaultLargestBytes]] by default
   * @throws IllegalArgumentException as [[FilterSizing]] does
   */
  def maxBytes(fpp: Double, ndv: Option[Long], maxBytes: Option[Int]): Int = {
    val most = maxBytes.getOrElse(DefaultLargestBytes)
    ndv.fold(most)(n => math.min(most, FilterSizing.bytesFor(n, fpp)))
  }
}

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
