package io.sbbf.index.format

/**
 * A file of a segment: a row of its table of files.
 *
 * @param path the path below the table's folder, or the whole path of a file outside of it
 * @param length in bytes
 * @param modificationTime milliseconds since 1970
 * @param etag of stores that report one in listings
 * @param readAt when it was read, in milliseconds since 1970
 * @param firstRowGroup the number of its first row group in the segment
 * @param rowGroups the number of its row groups
 * @param schema the packed form of its schema; see [[io.sbbf.parquet.hashes.StoredSchema]]
 * @param columns the segment's columns, in their order
 */
private[sbbf] final case class FileEntry(
    path: String,
    length: Long,
    modificationTime: Long,
    etag: Option[String],
    readAt: Long,
    firstRowGroup: Int,
    rowGroups: Int,
    rows: Long,
    schema: Array[Byte],
    columns: Seq[FileEntry.Coverage])

private[sbbf] object FileEntry {

  /**
   * An indexed column in a file.
   *
   * @param leaf the number of the column among the leaves of the file's schema, -1 if it has none
   * @param whyNot the reason why the segment has no keys of it; None if it has those of all values
   */
  final case class Coverage(leaf: Int, whyNot: Option[String])
}
