package io.sbbf.index.build

/**
 * How large an indexed column of a segment can be.
 *
 * @param entries an upper limit of its pairs of a key and a row group
 * @param elsewhere the entries that the index has already. A merge counts those of merged segments
 *   twice, which costs a bit at most.
 * @param mostBits the most leading bits of a hash that are known
 */
private[sbbf] final case class ColumnSize(entries: Long, elsewhere: Long = 0L, mostBits: Int = 63)
