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
  def properties(column: String, stored: String, ndv: Long, fpp: Double): Map[String, String]

  /** Returns a property for the largest size of a filter, if the writer's own limit is below. */
  protected def limit(key: String, ndv: Long, fpp: Double): Map[String, String] = {
    val bytes = FilterSizing.closedFormBytes(ndv, fpp)
    if (bytes > LakeFormat.WritersLimit) Map(key -> bytes.toString) else Map.empty
  }
}

private[table] object LakeFormat {

  /** `ParquetProperties.DEFAULT_MAX_BLOOM_FILTER_BYTES`, which Iceberg has as well */
  private final val WritersLimit = 1024 * 1024
}
