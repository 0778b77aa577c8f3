package io.sbbf.parquet.result

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.footer.FileFooter

/**
 * Reports how a file stores its columns, as far as pruning read it. It states facts only; the
 * reader draws the conclusions.
 */
private[sbbf] sealed abstract class FileStorage extends Product with Serializable

private[sbbf] object FileStorage {

  /**
   * The file was not read: a sample of the files showed no benefit, or the predicate cannot
   * prune.
   */
  case object Unread extends FileStorage

  /** The file could not be read, or its reader would fail at a filter. */
  case object Unreadable extends FileStorage

  /**
   * The footer was read.
   *
   * @param unsafe those columns of the scan's filters of whose predicates parquet-mr would lose rows,
   *   or at which it would fail
   * @param hasUnsafeColumns whether there is any such column in the file
   * @param hasDeltaPages whether readers skip values of pages in an encoding of deltas
   * @param meetsRequirements whether the file meets the scan's [[StorageRequirements]]
   */
  final case class Known(
      unsafe: Set[ColumnPath],
      hasUnsafeColumns: Boolean,
      hasDeltaPages: Boolean,
      meetsRequirements: Boolean)
      extends FileStorage

  /** Returns how the file of this footer stores its columns. */
  def of(
      footer: FileFooter,
      requirements: StorageRequirements,
      caseSensitive: Boolean): FileStorage =
    Known(
      unsafe = requirements.columns.filter(footer.isUnsafe(_, caseSensitive)),
      hasUnsafeColumns = !footer.unsafeColumns.isEmpty,
      hasDeltaPages = footer.hasDeltaPages,
      meetsRequirements = requirements.areMetBy(footer, caseSensitive)
    )
}
