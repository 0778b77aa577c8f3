package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.column.TableColumns.StoredColumn
import io.sbbf.spark.files.QueryHistory
import io.sbbf.spark.scan.PointLookupStats

/** The files that a table's name or a path stands for. */
private[spark] abstract class NamedFiles {

  /** The name by which errors name the files. */
  def name: String

  /** Returns the files that hold rows now, ordered by path. */
  def files: Seq[FileStatus]

  /** Returns those of the files that an index can name. */
  def indexable: Seq[FileStatus] = files

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

  /** The folders and files that its scans list. */
  def roots: Seq[Path]

  /** Whether the catalog has them as a table of ORC files. */
  def isOrc: Boolean = false

  /** The schema of the catalog's table without its partition columns; None if there is no such. */
  def tableSchema: Option[StructType] = None

  /** The format of the table that keeps a list of the files; None if none does. */
  def lakeFormat: Option[LakeFormat] = None

  /**
   * Returns the folder and the format of a table whose log records the length of each file, if a path
   * without that table's name is in it.
   */
  def tableWithLog: Option[(Path, String)] = None

  /** How tasks open the files. */
  def taskFiles: TaskFiles = TaskFiles.OfHadoop

  /** How tasks read the keys of files, of columns with these names. */
  def keys(columns: Seq[String]): KeyOpener

  /** The settings with which tasks read the files for a session. */
  def settings(session: SparkSession): SQLConf = session.sessionState.conf

  /** Identifies how the files are read, if their values depend on that; None for Parquet files. */
  def readAs: Option[String] = None

  /** @throws IllegalStateException if Spark now reads the files in another way than [[readAs]] */
  def requireSameRead(): Unit = ()

  /** The columns that the files store, by their names in the table; None if the files name them. */
  def columns: Option[TableColumns] = None

  /** Returns the table that names the columns of the files; None if the files do. */
  final def sampled(caseSensitive: Boolean): Option[SampledTable] =
    columns.map(of => SampledTable(of.stored.map(c => c.name -> c.path), caseSensitive))

  /**
   * Returns the column with this name; None if only the files know it.
   *
   * @param dotted its path in the table; a name that contains dots is in backticks
   * @throws IllegalArgumentException if the files are known to store no such column, or if no
   *   command supports it
   */
  def column(dotted: String, resolver: Resolver): Option[StoredColumn] =
    columns.map { of =>
      of.find(UnresolvedAttribute.parseAttributeName(dotted), resolver)
        .getOrElse(
          throw new IllegalArgumentException(
            s"the files of the table $name store no column '$dotted'; they store " +
              of.stored.map(_.name).mkString(", ")))
    }

  /** Returns whether the files are known to store no column of exactly this name. */
  final def lacks(column: String): Boolean = columns.exists(!_.stored.exists(_.name == column))

  /** Returns the rules by which columns are found in the files, and their values are read. */
  def lookup(conf: SQLConf): ColumnLookup = ColumnLookup(conf.caseSensitiveAnalysis)

  /** Returns how often the session's queries have looked up values in each column of the files. */
  def history(session: SparkSession): PointLookupStats.Counts = QueryHistory.of(session, roots)

  /**
   * Checks that not all of some files are ORC files, by their names.
   *
   * @param instead what to do with these, after a colon
   * @throws IllegalArgumentException if they are
   */
  final def refuseOrc(files: Seq[FileStatus], instead: String = ""): Unit =
    if (files.nonEmpty && files.forall(_.getPath.getName.endsWith(".orc")))
      throw new IllegalArgumentException(s"$name has ORC files, expected Parquet files$instead")
}
