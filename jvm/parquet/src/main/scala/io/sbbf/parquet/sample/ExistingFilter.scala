package io.sbbf.parquet.sample

/**
 * The bloom filter of a column chunk.
 *
 * @param bytes the size of the bitset in bytes; 0 for an invalid filter
 * @param fpp the FPP, computed from the set bits; 1 for an invalid filter
 */
private[sbbf] final case class ExistingFilter(bytes: Int, fpp: Double)
