package io.sbbf.spark.pushdown

import io.sbbf.parquet.result.{FilePruning, FileStorage, ScanPruning}

/**
 * Holds what planning found about the files of a scan.
 *
 * @param pruning the last pass over the files, if there was one
 * @param guard the guard whose requirements that pass checked
 * @param mayListOthers whether the scan may read files that were not listed while it was planned
 * @param hasRuntimeFilters whether tasks know more of the predicate than planning did: values of
 *   subqueries
 */
private[spark] final case class PlannedScan(
    pruning: Option[ScanPruning],
    guard: PushdownGuard,
    mayListOthers: Boolean,
    hasRuntimeFilters: Boolean) {

  /** Returns whether parquet-mr must evaluate nothing in some of the files. */
  def hasUnfilteredFiles: Boolean = pruning.exists(PlannedScan.hasUnfilteredFiles)

  /**
   * Returns whether tasks must not evaluate bloom filters. That holds if planning rejected one,
   * which parquet-mr would use, or did not check all of them, as an index made it unnecessary. It
   * also holds without runtime filters, as planning then already evaluated the bloom filters of
   * every file.
   */
  def disablesTaskBloom: Boolean = pruning.exists { found =>
    !hasRuntimeFilters || found.stoppedEarly || found.isIndexed ||
    found.exists(_.filtersRejected.nonEmpty)
  }

  /**
   * Returns whether tasks may read a file that planning did not check for `reading`'s filters.
   */
  def mayReadUnchecked(reading: PushdownGuard): Boolean =
    mayListOthers || hasRuntimeFilters || pruning.forall(_.stoppedEarly) ||
      !guard.isFor(reading.filters)
}

private[spark] object PlannedScan {

  private def hasUnfilteredFiles(pruning: ScanPruning): Boolean =
    pruning.exists(file => levelOf(file.storage) == PushdownLevel.Nothing)

  /**
   * Returns what parquet-mr may evaluate in each file. Files that planning did not read are of
   * [[PushdownLevel.Nothing]] if some other file is, and otherwise of [[PushdownLevel.AnyFile]].
   */
  def levels(pruning: ScanPruning): FilePruning => PushdownLevel = {
    val unread = if (hasUnfilteredFiles(pruning)) PushdownLevel.Nothing else PushdownLevel.AnyFile
    file => if (file.storage == FileStorage.Unread) unread else levelOf(file.storage)
  }

  /**
   * Returns the level of one file. parquet-mr uses corrupt statistics, and fails at literals that
   * are longer than a short decimal.
   */
  private def levelOf(storage: FileStorage): PushdownLevel = storage match {
    case FileStorage.Unreadable => PushdownLevel.Nothing
    case FileStorage.Unread => PushdownLevel.AnyFile
    case FileStorage.Known(hasCorruptStatistics, hasShortDecimals, meetsRequirements) =>
      if (hasCorruptStatistics || hasShortDecimals) PushdownLevel.Nothing
      else if (meetsRequirements) PushdownLevel.AsDeclared
      else PushdownLevel.AnyFile
  }
}
