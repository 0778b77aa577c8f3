package io.sbbf.parquet.hashes

/**
 * A column of a file.
 *
 * @param leaf the number of the column among the leaves of the file's schema, -1 if it has none
 * @param values the number of its values, including NULLs
 * @param whyNot the reason why it cannot be indexed
 */
private[sbbf] final case class IndexableColumn(leaf: Int, values: Long, whyNot: Option[String])
