package io.sbbf.parquet.write

/** A filter of a chunk, by the numbers of its row group and column in the file. */
private[sbbf] final case class ChunkFilter(rowGroup: Int, column: Int, bitset: Array[Byte]) {
  def chunk: (Int, Int) = (rowGroup, column)
}
