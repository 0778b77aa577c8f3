package io.sbbf.parquet.footer

private[parquet] final class RowGroups(
    val rows: Array[Long],
    val compressed: Array[Long],
    val midpoints: Array[Long],
    val hasDistinctMidpoints: Boolean) {
  def retainedBytes: Long = 32 + 3 * (16 + 8L * rows.length)
}
