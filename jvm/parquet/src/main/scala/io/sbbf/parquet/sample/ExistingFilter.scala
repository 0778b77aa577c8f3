package io.sbbf.parquet.sample

/**
 * @param bytes of its bitset
 * @param fpp by the bits that are set; 1 for one that is not to be believed
 */
private[sbbf] final case class ExistingFilter(bytes: Int, fpp: Double)
