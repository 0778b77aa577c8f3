package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.scan.PointLookupStats

/** The files that a table's name or a path stands for. */
private[spark] abstract class NamedFiles {

  /** The name by which errors name the files. */
  def name: String

  /** Returns the files that hold rows now, ordered by path. */
  def files: Seq[FileStatus]

  /**
   * Returns the paths of the files that a condition in SQL selects: those of its partitions, or, of
   * an Iceberg table, those in which a row can match.
   *
   * @throws IllegalArgumentException if the condition is invalid, or uses other columns
   */
  def pathsWhere(condition: String, session: SparkSession): Set[Path]

  /** Returns those of `all` files that a condition selects, as in [[pathsWhere]]; None selects all. */
  final def filesWhere(
      all: Seq[FileStatus],
      condition: Option[String],
      session: SparkSession): Seq[FileStatus] =
    condition.fold(all) { text =>
      val paths = pathsWhere(text, session)
      all.filter(file => paths(file.getPath))
    }

  /** The format of the table that keeps a list of the files; None if none does. */
  def lakeFormat: Option[LakeFormat]

  /** How tasks open the files. */
  def taskFiles: TaskFiles

  /** How tasks read the keys of files, of columns with these names. */
  def keys(columns: Seq[String]): KeyOpener

  /** Identifies how the files are read, if their values depend on that; None for Parquet files. */
  def readAs: Option[String] = None

  /** Returns [[readAs]] by the settings of now. */
  def readNow: Option[String] = None

  /** Returns the table that names the columns of the files; None if the files do. */
  def sampled(caseSensitive: Boolean): Option[SampledTable]

  /**
   * Returns the names of requested columns as [[sampled]] has them.
   *
   * @throws IllegalArgumentException if the files are known to store no such column
   */
  def columnNames(requested: Seq[String], resolver: Resolver): Seq[String]

  /** Returns how often queries look up values in each column of the files. */
  def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts

  /** Returns how often the session's queries have looked up values in each column of the files. */
  def history(session: SparkSession): PointLookupStats.Counts
}
