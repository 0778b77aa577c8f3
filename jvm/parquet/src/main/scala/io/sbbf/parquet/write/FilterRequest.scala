package io.sbbf.parquet.write

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.values.ValueKind

/**
 * The bloom filters that somebody wants of one column of a file.
 *
 * @param column its number among the leaves of the schema, which is that of its chunks
 * @param fpp the FPP of each filter, if `maxBytes` allows
 * @param maxBytes of one filter, a power of two
 * @param minNdv distinct values of a row group for which there is to be a filter
 * @param withDictionary whether also where the dictionary holds all values of a row group
 */
private[sbbf] final case class FilterRequest(
    column: Int,
    kind: ValueKind,
    fpp: Double,
    maxBytes: Int,
    minNdv: Int = 1,
    withDictionary: Boolean = true)

private[sbbf] object FilterRequest {

  /** The most distinct values that are counted exactly, and so the most of `minNdv`. */
  final val MostCounted = DistinctHashes.MostCounted

  /**
   * 32 MiB, enough for 25 million distinct values in a row group at 1 %. A row group's data are 128
   * MiB as a rule, 16 million numbers of 8 bytes.
   */
  final val DefaultLargestBytes = 32 * 1024 * 1024

  /**
   * The largest bitset for at most `ndv` distinct values in a row group.
   *
   * @throws IllegalArgumentException as [[FilterSizing]] does
   */
  def maxBytes(fpp: Double, ndv: Option[Long], maxBytes: Option[Int]): Int = {
    val most = maxBytes.getOrElse(DefaultLargestBytes)
    ndv.fold(most)(n => math.min(most, FilterSizing.bytesFor(n, fpp)))
  }
}
