package io.sbbf.parquet.hashes

/**
 * A run of rows within a row group.
 *
 * @param hasNull whether the column may be NULL in one of its rows
 * @param bitset the bloom filter of the column's values
 */
private[sbbf] final case class FilteredZone(rows: Long, hasNull: Boolean, bitset: Array[Byte])
