package io.sbbf.index.build

import org.apache.hadoop.fs.FileStatus

import io.sbbf.index.format.FileEntry
import io.sbbf.parquet.hashes.IndexFacts

/**
 * A file that a segment will know.
 *
 * @param readAt when it was read, in milliseconds since 1970
 * @param schema the packed form of its schema
 * @param columns the segment's columns, in their order
 */
private[sbbf] final case class SegmentFile(
    status: FileStatus,
    readAt: Long,
    rowGroups: Int,
    rows: Long,
    schema: Array[Byte],
    columns: Seq[FileEntry.Coverage])

private[sbbf] object SegmentFile {

  /** Returns a file whose footer states `facts`. */
  def of(status: FileStatus, facts: IndexFacts, readAt: Long): SegmentFile =
    SegmentFile(
      status,
      readAt,
      facts.rowsOf.size,
      facts.rowsOf.sum,
      facts.schema,
      facts.columns.map(c => FileEntry.Coverage(c.leaf, c.whyNot)))
}
