package io.sbbf.spark.pushdown

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.result.{FilePruning, FileStorage, ScanPruning}
import io.sbbf.spark.pages.PackedDeltas

/**
 * Holds what planning found about the files of a scan.
 *
 * @param pruning the last pass over the files, if there was one
 * @param guard the guard whose requirements that pass checked
 * @param isTrimmed whether tasks leave out the row groups that planning refuted. If not, planning has
 *   checked the filters of row groups that it kept, for the columns that `guard` names as probed.
 * @param mayListOthers whether the scan may read files that were not listed while it was planned
 * @param hasRuntimeFilters whether tasks know more of the predicate than planning did: values of
 *   subqueries
 */
private[spark] final case class PlannedScan(
    pruning: Option[ScanPruning],
    guard: PushdownGuard,
    isTrimmed: Boolean,
    mayListOthers: Boolean,
    hasRuntimeFilters: Boolean) {

  /** Returns whether parquet-mr must evaluate no filter in some of the files. */
  def hasUnfilteredFiles: Boolean = pruning.exists(PlannedScan.hasUnfilteredFiles)

  /**
   * Returns whether tasks must not evaluate bloom filters. That holds if planning rejected one,
   * which parquet-mr would use, or did not check all of them. It also holds if tasks could find
   * nothing by them, as planning evaluated them and tasks read only what it kept.
   */
  def disablesTaskBloom(reading: PushdownGuard): Boolean = pruning.exists { found =>
    found.stoppedEarly || found.exists(_.filtersRejected.nonEmpty) || !(
      if (isTrimmed) hasRuntimeFilters && !found.isIndexed
      else checkedFilters(found, reading) && (hasRuntimeFilters || found.exists(_.isKeptInPart))
    )
  }

  /** Returns whether planning checked each filter that tasks may probe in a row group with a match. */
  private def checkedFilters(found: ScanPruning, reading: PushdownGuard): Boolean =
    reading.requirements.probed.subsetOf(guard.requirements.probed) &&
      (hasRuntimeFilters && !found.isIndexed ||
        !found.exists(o => !o.isPruned && o.storage == FileStorage.Unread))

  /**
   * Returns whether tasks may read a file that planning did not check for `reading`'s filters.
   */
  def mayReadUnchecked(reading: PushdownGuard): Boolean =
    mayListOthers || hasRuntimeFilters || pruning.forall(_.stoppedEarly) ||
      !guard.isFor(reading.filters)

  /**
   * Returns whether parquet-mr would misread a column in some file, as far as planning knows. Files
   * that planning did not read are as unsafe as the others.
   */
  def isUnsafe(column: ColumnPath): Boolean =
    unsafe(column) || isUnchecked(column) || hasUnsafeColumns && pruning.exists(_.stoppedEarly)

  /** Returns whether planning did not check a column, and some file has columns that are unsafe. */
  def isUnchecked(column: ColumnPath): Boolean =
    hasUnsafeColumns && !guard.requirements.columns(column)

  private lazy val unsafe: Set[ColumnPath] =
    pruning.fold(Set.empty[ColumnPath])(PlannedScan.unsafeColumns)

  private lazy val hasUnsafeColumns: Boolean = pruning.exists(PlannedScan.hasUnsafeColumns)
}

private[spark] object PlannedScan {

  /** Returns whether even a filter that loses no row would make tasks fail or return wrong values. */
  private def forbidsFilters(storage: FileStorage): Boolean = storage match {
    case FileStorage.Unreadable => true
    case known: FileStorage.Known => known.hasDeltaPages && !PackedDeltas.areSkippedCorrectly
    case FileStorage.Unread => false
  }

  private def hasUnfilteredFiles(pruning: ScanPruning): Boolean =
    pruning.exists(file => forbidsFilters(file.storage))

  private def unsafeColumns(pruning: ScanPruning): Set[ColumnPath] =
    pruning.gather { outcome =>
      outcome.storage match {
        case known: FileStorage.Known => known.unsafe
        case _ => Set.empty
      }
    }

  private def hasUnsafeColumns(pruning: ScanPruning): Boolean = pruning.exists(_.storage match {
    case known: FileStorage.Known => known.hasUnsafeColumns
    case _ => false
  })

  /**
   * Returns what parquet-mr may evaluate in each file. It is nothing in files that planning did not
   * read if that holds for some other one, or if some other one misstates a column: the writer of
   * that one may have misstated other columns here.
   */
  def levels(pruning: ScanPruning): FilePruning => PushdownLevel = {
    val unread =
      if (hasUnfilteredFiles(pruning) || hasUnsafeColumns(pruning))
        PushdownLevel.Nothing
      else PushdownLevel.AnyFile
    file =>
      file.storage match {
        case storage if forbidsFilters(storage) => PushdownLevel.Nothing
        case FileStorage.Unread => unread
        case FileStorage.Known(unsafe, _, _, _) if unsafe.nonEmpty => PushdownLevel.SafeColumns
        case FileStorage.Known(_, _, _, true) => PushdownLevel.AsDeclared
        case _ => PushdownLevel.AnyFile
      }
  }
}
