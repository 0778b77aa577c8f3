package io.sbbf.index.maintain

import org.apache.hadoop.fs.FileStatus

/**
 * The files that a new segment will know.
 *
 * @param toRead the files whose keys are read from the files
 * @param toMerge the files whose keys other segments hold
 * @param replaces the ids of the segments that the new one makes superfluous
 */
private[sbbf] final case class RefreshPlan(
    toRead: Seq[FileStatus],
    toMerge: IndexedSeq[MergedFile],
    replaces: Seq[String])
