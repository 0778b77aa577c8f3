package io.sbbf.index.zones

/**
 * A row of the table of zones.
 *
 * @param file the number of its file in the segment
 * @param start the number of its first row in the file
 * @param length the number of its rows
 * @param hasNull whether the column may be NULL in one of them
 * @param rowGroup the number of its row group in the segment
 * @param filterBytes the size of the filters of its slab
 * @param filter the number of its filter in the slab
 */
private[sbbf] final case class Zone(
    file: Int,
    start: Long,
    length: Long,
    hasNull: Boolean,
    rowGroup: Int,
    filterBytes: Int,
    filter: Int)
