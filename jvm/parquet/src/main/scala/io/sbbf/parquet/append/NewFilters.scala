package io.sbbf.parquet.append

/**
 * The filters that a file got.
 *
 * @param count the number of new filters
 * @param filterBytes the size of their bitsets
 * @param bytes the new length of the file
 */
private[sbbf] final case class NewFilters(count: Int, filterBytes: Long, bytes: Long)
