package io.sbbf.spark.table

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.sbbf.core.bloom.FilterSizing

/** A format of tables that keep a list of their files. */
private[spark] trait LakeFormat {
  import LakeFormat.{MostSpare, WritersLimit}

  /** Its name, as [[io.sbbf.parquet.append.TableFormatDetector]] reports it. */
  def name: String

  /** A table of the format, with its article. */
  def aTable: String

  /** The package of its classes, which are not on the class path of this extension. */
  protected def classes: String

  /** Returns whether the format has the class of a source, a table or a catalog. */
  final def hasClass(thing: AnyRef): Boolean = thing.getClass.getName.startsWith(s"$classes.")

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
   * Returns the table properties that give a column filters of an FPP. A writer that can chooses the
   * size of each filter by the values of its row group: files that are merged get larger filters. Others
   * size all filters by `ndv` ([[FilterSizing.closedFormBytes]]).
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
    val size = names.adaptive match {
      case Some(adaptive) =>
        // a table may have another limit from before
        adaptive + (names.maxBytes -> largest(bytes).toString)
      case None if bytes > WritersLimit =>
        Map(names.ndv -> ndv.toString, names.maxBytes -> bytes.toString)
      case None => Map(names.ndv -> ndv.toString)
    }
    Map(names.enabled -> "true", names.fpp -> fpp.toString) ++ size
  }

  /** Returns the largest filter that a writer tries where one of `bytes` serves the files of today. */
  private def largest(bytes: Int): Long =
    math.max(math.max(bytes.toLong, WritersLimit), math.min(8L * bytes, MostSpare))

  /** Returns the names of these properties for a column. */
  protected def settings(column: String, stored: String): LakeFormat.Settings
}

private[spark] object LakeFormat {

  /** `ParquetProperties.DEFAULT_MAX_BLOOM_FILTER_BYTES`, which Iceberg has as well */
  private final val WritersLimit = 1024L * 1024

  /** The largest filter that a writer tries unasked: it holds one of each size while it writes. */
  private final val MostSpare = 8L * 1024 * 1024

  /**
   * @param adaptive the properties by which the writer chooses sizes, None if it cannot. It does so only
   *   without `ndv`, and tries the largest size and some of its halves
   *   (`ParquetProperties.DEFAULT_BLOOM_FILTER_CANDIDATES_NUMBER`: five)
   * @param maxBytes the largest size of a filter, which a writer limits by itself
   */
  final case class Settings(
      enabled: String,
      ndv: String,
      fpp: String,
      adaptive: Option[Map[String, String]],
      maxBytes: String)
}
