package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.files.QueryHistory
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.scan.PointLookupStats

/** The files that a table's name or a path stands for. */
private[spark] abstract class NamedFiles {

  /** The name by which errors name the files. */
  def name: String

  /** Returns the files that hold rows now, ordered by path. */
  def files: Seq[FileStatus]

  /**
   * Returns the files that a condition in SQL selects, ordered by path: those of its partitions, or,
   * of an Iceberg table, those in which a row can match. They are those of a new listing: after a
   * commit in between, few of them may be among [[files]].
   *
   * @throws IllegalArgumentException if the condition is invalid, or uses other columns
   */
  final def filesWhere(condition: String, session: SparkSession): Seq[FileStatus] =
    selected(condition, session).sortBy(_.getPath.toString)

  /** Returns the files of [[filesWhere]], in any order. */
  protected def selected(condition: String, session: SparkSession): Seq[FileStatus]

  /** The format of the table that keeps a list of the files; None if none does. */
  def lakeFormat: Option[LakeFormat]

  /** How tasks open the files. */
  def taskFiles: TaskFiles

  /** How tasks read the keys of files, of columns with these names. */
  def keys(columns: Seq[String]): KeyOpener

  /** The settings with which tasks read the files for a session. */
  def settings(session: SparkSession): SQLConf = session.sessionState.conf

  /** Identifies how the files are read, if their values depend on that; None for Parquet files. */
  def readAs: Option[String] = None

  /** @throws IllegalStateException if Spark now reads the files in another way than [[readAs]] */
  def requireSameRead(): Unit = ()

  /** Returns the table that names the columns of the files; None if the files do. */
  def sampled(caseSensitive: Boolean): Option[SampledTable]

  /**
   * Returns the names of requested columns as [[sampled]] has them.
   *
   * @throws IllegalArgumentException if the files are known to store no such column
   */
  def columnNames(requested: Seq[String], resolver: Resolver): Seq[String]

  /** The folders and files that its scans list. */
  protected def roots: Seq[Path]

  /** Returns how often queries look up values in each column of the files. */
  final def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts =
    PointLookupStats.of(queries, roots, Formats.all)

  /** Returns how often the session's queries have looked up values in each column of the files. */
  def history(session: SparkSession): PointLookupStats.Counts = QueryHistory.of(session, roots)
}
