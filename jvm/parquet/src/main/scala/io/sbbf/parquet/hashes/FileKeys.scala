package io.sbbf.parquet.hashes

import java.io.Closeable

import io.sbbf.core.predicate.KeyFunction

/**
 * What an index needs of a file: its zones, and the keys of each. A zone is what a scan can leave
 * out: a row group of a Parquet file, and the whole of a file of another format. Not thread-safe.
 *
 * Each method throws java.io.IOException if the file cannot be read, must not be indexed
 * ([[io.sbbf.parquet.model.UnusableFile]]), or is no longer the listed version.
 */
private[sbbf] trait FileKeys extends Closeable {

  /** Returns the zones of the file, and what it states about the columns with these names. */
  def facts(wanted: Seq[String]): IndexFacts

  /**
   * Returns the hashes of the distinct values of a column in a zone, or of the distinct keys of a
   * function of them, in ascending order.
   *
   * The file may have been replaced meanwhile: call [[check]] after the last zone.
   *
   * @param rowGroup the number of the zone
   * @param source names a column that [[facts]] finds no reason against
   */
  def hashesOf(rowGroup: Int, source: KeySource): Array[Long]

  /** Fails if the file was replaced while it was read. */
  def check(): Unit
}

/**
 * What an index keeps of a file's footer.
 *
 * @param rowsOf the number of rows of each row group
 * @param schema the packed form of its schema, see [[StoredSchema]]
 * @param columns the requested columns, in the order of the request
 */
private[sbbf] final case class IndexFacts(
    rowsOf: Seq[Long],
    schema: Array[Byte],
    columns: Seq[IndexableColumn])

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

/**
 * Where the keys of an indexed column come from in a file.
 *
 * @param leaf the number of the column among the leaves of the file's schema
 * @param function the function whose keys are wanted; None for the values
 */
private[sbbf] final case class KeySource(leaf: Int, function: Option[KeyFunction])
