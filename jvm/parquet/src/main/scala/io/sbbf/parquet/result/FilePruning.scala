package io.sbbf.parquet.result

import io.sbbf.parquet.model.Evidence

/**
 * The outcome of pruning one file.
 *
 * @param rowGroups the number of row groups; 0 if the file was not read or could not be read,
 *   which keeps all of it
 * @param kept the number of row groups that might hold a match
 * @param keptRows the number of rows in the kept row groups, -1 if it is unknown
 * @param keptBytes the compressed size of the kept row groups; the file's length if all are kept
 * @param ranges starts and ends of ascending byte ranges, which hold the midpoints of the kept
 *   row groups and of no others; None if tasks read whole splits
 * @param refutedBy the number of row groups that each kind of evidence refuted
 * @param keptBecause the number of kept row groups by reason, if a reason is known
 * @param filtersRejected the number of row groups with a rejected filter, by reason
 * @param storage how the file stores its columns
 * @param bytesRead the number of bytes that pruning read
 * @param opens how often pruning opened the file
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

  /** Whether the file's row groups were evaluated. */
  def isKnown: Boolean = rowGroups > 0 || isPruned

  /** Whether some row groups of the file are kept and some are not. */
  def isKeptInPart: Boolean = kept > 0 && kept < rowGroups

  /** Whether no row group is kept. */
  def isPruned: Boolean = kept == 0 && keptBecause.isEmpty
}

private[sbbf] object FilePruning {

  /** Returns the outcome of a file that was not evaluated: the whole file is kept. */
  def keepAll(length: Long, reason: String): FilePruning =
    FilePruning(0, 0, 0L, length, None, Map.empty, Map(reason -> 1))

  /** Returns the outcome of a file that is one zone of an index, which finds a match in it. */
  def found(length: Long): FilePruning =
    FilePruning(1, 1, keptRows = -1L, length, None, Map.empty, Map(ScanPruning.Found -> 1))

  /**
   * Returns the outcome of a file of which every row group is refuted, without the evidence.
   *
   * @param hasMidpoints whether the midpoint of each row group is known
   */
  def refuted(rowGroups: Int, hasMidpoints: Boolean, storage: FileStorage): FilePruning =
    FilePruning(
      rowGroups,
      kept = 0,
      keptRows = 0L,
      keptBytes = 0L,
      ranges = if (hasMidpoints) Some(Array.empty[Long]) else None,
      refutedBy = Map.empty,
      keptBecause = Map.empty,
      storage = storage
    )

  /**
   * Returns the outcome of a file that could not be read. The whole file is kept, and it is
   * unknown what parquet-mr may check in it.
   */
  def unreadable(length: Long, reason: String): FilePruning =
    keepAll(length, reason).copy(storage = FileStorage.Unreadable)
}
