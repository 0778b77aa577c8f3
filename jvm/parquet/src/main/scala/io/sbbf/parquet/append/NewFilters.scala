package io.sbbf.parquet.append

/**
 * What a file got.
 *
 * @param bytes of the file now
 */
private[sbbf] final case class NewFilters(count: Int, filterBytes: Long, bytes: Long)
