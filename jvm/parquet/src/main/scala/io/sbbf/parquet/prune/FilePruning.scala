package io.sbbf.parquet.prune

import io.sbbf.parquet.model.Evidence

/**
 * What a predicate leaves of one file.
 *
 * @param rowGroups how many row groups it has; 0 if the file was not asked or gave no answer: it is kept whole
 * @param kept how many of them might hold a match
 * @param keptRows rows of the kept row groups
 * @param keptBytes their size in the file
 * @param ranges what to read where not all is kept: start and end of byte ranges that hold the midpoints of the
 *   surviving row groups and of no other, ascending; None if splits are to be read whole
 * @param refutedBy the evidence that decided, with the number of row groups it refuted
 * @param keptBecause why row groups were kept, with their number, as far as a reason is known
 * @param filtersRejected why filters were rejected, with the number of row groups
 * @param storage how the file stores its columns
 */
private[sbbf] final case class FilePruning(
    rowGroups: Int,
    kept: Int,
    keptRows: Long,
    keptBytes: Long,
    ranges: Option[Array[Long]],
    refutedBy: Map[Evidence, Int],
    keptBecause: Map[String, Int],
    filtersRejected: Map[String, Int] = Map.empty,
    storage: FileStorage = FileStorage.Unread,
    bytesRead: Long = 0L,
    opens: Int = 0) {

  def isKnown: Boolean = rowGroups > 0 || isPruned
  def isPruned: Boolean = kept == 0 && keptBecause.isEmpty
}

private[sbbf] object FilePruning {

  /** Nothing is known, so all of the file is planned. */
  def keepAll(length: Long, reason: String): FilePruning =
    FilePruning(0, 0, 0L, length, None, Map.empty, Map(reason -> 1))

  /** The same of a file that could not be read: nobody knows what parquet-mr may check. */
  def unreadable(length: Long, reason: String): FilePruning =
    keepAll(length, reason).copy(storage = FileStorage.Unreadable)
}
