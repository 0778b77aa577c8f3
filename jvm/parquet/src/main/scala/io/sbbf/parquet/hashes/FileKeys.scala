package io.sbbf.parquet.hashes

import java.io.Closeable

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
  def of(rowGroup: Int, source: KeySource): Array[Long]

  /** Fails if the file was replaced while it was read. */
  def check(): Unit
}
