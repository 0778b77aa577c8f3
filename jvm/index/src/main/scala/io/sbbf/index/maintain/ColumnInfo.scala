package io.sbbf.index.maintain

/**
 * What an index holds of a column.
 *
 * @param kind the kind of its index
 * @param segments the number of segments that a lookup searches
 * @param files the number of the table's files whose keys or zones the index has
 * @param keys the number of distinct keys, added up over the segments
 * @param entries the number of pairs of a key and a row group, or of zones
 * @param newest when the newest segment was created, in milliseconds since 1970
 */
private[sbbf] final case class ColumnInfo(
    column: String,
    kind: String,
    segments: Int,
    files: Int,
    keys: Long,
    entries: Long,
    bytes: Long,
    newest: Long)
