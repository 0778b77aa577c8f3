package io.sbbf.index.format

/**
 * An indexed column in a file.
 *
 * @param leaf the number of the column among the leaves of the file's schema, -1 if it has none
 * @param whyNot the reason why the segment has no keys of it; None if it has those of all values
 */
private[sbbf] final case class ColumnCoverage(leaf: Int, whyNot: Option[String])
