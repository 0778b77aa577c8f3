package io.sbbf.index.maintain

import io.sbbf.index.build.SegmentFile
import io.sbbf.index.format.SegmentManifest

/**
 * A file whose keys a new segment takes from others.
 *
 * @param from where the keys of each column are
 */
private[sbbf] final case class MergedFile(file: SegmentFile, from: Seq[MergedFile.Source])

private[sbbf] object MergedFile {

  /**
   * A column of a segment.
   *
   * @param column its number in the segment
   * @param firstRowGroup the number of the file's first row group in the segment
   */
  final case class Source(segment: SegmentManifest, column: Int, firstRowGroup: Int)
}
