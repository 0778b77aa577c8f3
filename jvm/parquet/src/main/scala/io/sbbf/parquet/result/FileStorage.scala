package io.sbbf.parquet.result

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.footer.FileFooter

/**
 * Reports how a file stores its columns, as far as pruning read it. It states facts only; the
 * reader draws the conclusions.
 */
private[sbbf] sealed abstract class FileStorage extends Product with Serializable {

  /** Returns whether parquet-mr must evaluate no filter in the file, not even one that loses no row. */
  def forbidsFilters: Boolean = this == FileStorage.Unreadable || this == FileStorage.Misaligned
}

private[sbbf] object FileStorage {

  /**
   * The file was not read: a sample of the files showed no benefit, or the predicate cannot
   * prune.
   */
  case object Unread extends FileStorage

  /** The file could not be read, or its reader would fail at a filter. */
  case object Unreadable extends FileStorage

  /**
   * The footer was read. Where a filter leaves out pages of the file, its reader may return the values
   * of other rows; see [[StorageRequirements.skipsDeltas]].
   */
  case object Misaligned extends FileStorage

  /**
   * The footer was read.
   *
   * @param unsafe those columns of the scan's filters of whose predicates parquet-mr would lose rows,
   *   or at which it would fail
   * @param hasUnsafeColumns whether there is any such column in the file
   * @param meetsRequirements whether the file meets the scan's [[StorageRequirements]]
   */
  final case class Known(
      unsafe: Set[ColumnPath],
      hasUnsafeColumns: Boolean,
      meetsRequirements: Boolean)
      extends FileStorage

  /** Returns how the file of this footer stores its columns. */
  def of(
      footer: FileFooter,
      requirements: StorageRequirements,
      caseSensitive: Boolean): FileStorage =
    if (footer.hasDeltaPages && !requirements.skipsDeltas) Misaligned
    else
      Known(
        unsafe = requirements.columns.filter(footer.isUnsafe(_, caseSensitive)),
        hasUnsafeColumns = !footer.unsafeColumns.isEmpty,
        meetsRequirements = requirements.areMetBy(footer, caseSensitive)
      )
}
