package io.sbbf.parquet.footer

/**
 * Holds the facts about a file's row groups in arrays.
 *
 * @param rows the numbers of rows
 * @param compressed the compressed sizes in bytes
 * @param midpoints the offsets by which readers assign row groups to splits
 * @param hasMidpoints whether all midpoints are known
 */
private[parquet] final class RowGroups(
    val rows: Array[Long],
    val compressed: Array[Long],
    val midpoints: Array[Long],
    val hasMidpoints: Boolean) {
  def retainedBytes: Long = 32 + 3 * (16 + 8L * rows.length)
}
