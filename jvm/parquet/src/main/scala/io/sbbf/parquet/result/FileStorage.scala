package io.sbbf.parquet.result

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
   * @param hasCorruptStatistics whether statistics of a column chunk or a page are known to be
   *   wrong
   * @param hasShortDecimals whether a DECIMAL column stores its values in fewer than four bytes
   * @param meetsRequirements whether the file meets the scan's [[StorageRequirements]]
   */
  final case class Known(
      hasCorruptStatistics: Boolean,
      hasShortDecimals: Boolean,
      meetsRequirements: Boolean)
      extends FileStorage

  /** Returns how the file of this footer stores its columns. */
  def of(
      footer: FileFooter,
      requirements: StorageRequirements,
      caseSensitive: Boolean): FileStorage =
    Known(
      hasCorruptStatistics = footer.hasCorruptStatistics,
      hasShortDecimals = footer.hasShortDecimals,
      meetsRequirements = requirements.areMetBy(footer, caseSensitive)
    )
}
