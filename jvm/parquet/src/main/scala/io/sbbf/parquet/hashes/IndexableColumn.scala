package io.sbbf.parquet.hashes

/**
 * A column of a file.
 *
 * @param leaf the number of the column among the leaves of the file's schema, -1 if it has none
 * @param valuesOf the number of its values in each row group, including NULLs
 * @param filterBytes the size of its filter in each row group, if it is a power of two, or else 0
 * @param whyNot the reason why it cannot be indexed
 */
private[sbbf] final case class IndexableColumn(
    leaf: Int,
    valuesOf: Seq[Long],
    filterBytes: Seq[Int],
    whyNot: Option[String]) {

  /** The number of its values, including NULLs. */
  def values: Long = valuesOf.sum
}
