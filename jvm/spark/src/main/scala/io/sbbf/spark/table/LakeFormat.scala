package io.sbbf.spark.table

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.sbbf.core.bloom.FilterSizing

/** A format of tables that keep a list of their files. */
private[spark] trait LakeFormat {

  /** Its name, as [[io.sbbf.parquet.append.TableFormatDetector]] reports it. */
  def name: String

  /** A table of the format, with its article. */
  def aTable: String

  /** Returns the commands that give the files of a table filters, or drop them. */
  def howToChange: String

  /**
   * Returns the table that a relation reads. Returns None for another format, and for relations whose
   * rows are not those of data files.
   *
   * @param name the name by which it was found
   */
  def tableOf(name: String, relation: LogicalPlan): Option[LakeTable]

  /**
   * Returns the table properties that give a column filters of a size and an FPP. parquet-mr sizes
   * them ([[FilterSizing.closedFormBytes]]).
   *
   * @param column the name of the column in the table
   * @param stored its dotted Parquet path
   * @param ndv the most distinct values of a row group
   */
  final def properties(
      column: String,
      stored: String,
      ndv: Long,
      fpp: Double): Map[String, String] = {
    val names = settings(column, stored)
    val bytes = FilterSizing.closedFormBytes(ndv, fpp)
    val limit =
      if (bytes > LakeFormat.WritersLimit) Some(names.maxBytes -> bytes.toString) else None
    Map(names.enabled -> "true", names.ndv -> ndv.toString, names.fpp -> fpp.toString) ++ limit
  }

  /** Returns the names of these properties for a column. */
  protected def settings(column: String, stored: String): LakeFormat.Settings
}

private[spark] object LakeFormat {

  /** `ParquetProperties.DEFAULT_MAX_BLOOM_FILTER_BYTES`, which Iceberg has as well */
  private final val WritersLimit = 1024 * 1024

  /** @param maxBytes the largest size of a filter, which a writer limits by itself */
  final case class Settings(enabled: String, ndv: String, fpp: String, maxBytes: String)
}
