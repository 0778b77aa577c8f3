package io.sbbf.parquet.write

/**
 * The bloom filter of a column chunk.
 *
 * @param rowGroup the row group's number in the file
 * @param column the column's number in the file
 */
private[sbbf] final case class ChunkFilter(rowGroup: Int, column: Int, bitset: Array[Byte]) {
  def chunk: (Int, Int) = (rowGroup, column)
}
