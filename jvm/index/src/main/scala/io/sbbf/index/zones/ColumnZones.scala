package io.sbbf.index.zones

/**
 * Where the filters of a column of one file are. Serializable. The arrays have an element for each
 * row group of the file.
 *
 * @param column the number of the column in the segment
 * @param leaf the number of the column among the leaves of the file's schema
 * @param slabs the numbers of the slabs, -1 for row groups without filters
 * @param firsts the numbers of the first filters in their slabs
 * @param counts the numbers of the filters
 */
private[sbbf] final class ColumnZones(
    val column: Int,
    val leaf: Int,
    val slabs: Array[Int],
    val firsts: Array[Int],
    val counts: Array[Int])
    extends Serializable
