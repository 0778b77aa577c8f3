package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.parquet.append.TableFormatDetector
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.column.TableColumns.StoredColumn
import io.sbbf.spark.scan.{PointLookupStats, QueryHistory}
import io.sbbf.spark.util.TableFiles

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

/**
 * The files of a path, or of the folder of a Parquet or ORC table. Nothing is listed before it is
 * needed.
 *
 * @param name a file, a folder or a glob pattern
 * @param table the catalog's table in this folder; of a path Spark infers the partition columns
 * @param isOrc whether it is a table of ORC files
 */
private[spark] final class ParquetPath(
    val name: String,
    conf: Configuration,
    table: Option[CatalogTable] = None,
    val isOrc: Boolean = false)
    extends NamedFiles {
  private lazy val found = TableFiles.roots(name, conf)
  private def roots = found.map(_.getPath)

  override lazy val files: Seq[FileStatus] = new TableFiles(name, conf).data

  override def pathsWhere(condition: String, session: SparkSession): Set[Path] =
    new PartitionFilter(session, rows(session), condition).ofPartitions()

  /** Returns the rows with their partition columns alone, which needs no file to be read. */
  private def rows(session: SparkSession): DataFrame =
    session.read
      .schema(
        table.fold(new StructType)(_.partitionSchema).add(ParquetPath.NoColumn, IntegerType))
      .parquet(name)
      .drop(ParquetPath.NoColumn)

  /**
   * Checks that not all files are ORC files, by their names.
   *
   * @param instead what to do with these, after a colon
   * @throws IllegalArgumentException if they are
   */
  def refuseOrc(files: Seq[FileStatus], instead: String = ""): Unit =
    if (files.nonEmpty && files.forall(_.getPath.getName.endsWith(".orc")))
      throw new IllegalArgumentException(s"$name has ORC files, expected Parquet files$instead")

  /** Makes the session list the files anew, also in queries of the table by its name. */
  def refresh(session: SparkSession): Unit = {
    session.catalog.refreshByPath(name)
    table.foreach(found => session.catalog.refreshTable(found.identifier.quotedString))
  }

  /** Returns the folder and the format of the table with a log that the path is in, if any. */
  def tableWithLog: Option[(Path, String)] = TableFormatDetector.of(found, conf)

  override def lakeFormat: Option[LakeFormat] = None
  override def taskFiles: TaskFiles = TaskFiles.OfHadoop
  override def keys(columns: Seq[String]): KeyOpener = KeyOpener.Parquet
  override def sampled(caseSensitive: Boolean): Option[SampledTable] = None
  override def columnNames(requested: Seq[String], resolver: Resolver): Seq[String] = requested

  override def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts =
    PointLookupStats.of(queries, roots)

  override def history(session: SparkSession): PointLookupStats.Counts =
    QueryHistory.of(session, roots)
}

private object ParquetPath {

  /** A column of no file. */
  val NoColumn: String = "sbbf no column"
}

/**
 * A table of a format that keeps a list of its files, as queries of the session read it.
 *
 * @param name the name by which it was found
 */
private[spark] abstract class LakeTable(val name: String, val format: LakeFormat)
    extends NamedFiles {

  final override def files: Seq[FileStatus] = snapshotFiles.sortBy(_.getPath.toString)

  /** Returns the files of the snapshot, in any order. */
  protected def snapshotFiles: IndexedSeq[FileStatus]

  /** Returns the folder of the table. */
  def location: Path

  /** Returns the files of the snapshot that an index can name. */
  def indexable: Seq[FileStatus] = files

  def columns: TableColumns

  /** Returns the rules by which the format finds columns in the files and reads their values. */
  def lookup(conf: SQLConf): ColumnLookup = ColumnLookup(conf.caseSensitiveAnalysis)

  final override def keys(columns: Seq[String]): KeyOpener = KeyOpener.Parquet

  final override def lakeFormat: Option[LakeFormat] = Some(format)

  /**
   * Returns the column with this name in the table.
   *
   * @param dotted its path; a name that contains dots is in backticks
   * @throws IllegalArgumentException if the files store no such column
   */
  final def column(dotted: String, resolver: Resolver): StoredColumn =
    columns
      .find(UnresolvedAttribute.parseAttributeName(dotted), resolver)
      .getOrElse(
        throw new IllegalArgumentException(
          s"the files of the ${format.name} table $name store no column '$dotted'; they store " +
            columns.stored.map(_.name).mkString(", ")))

  final override def columnNames(requested: Seq[String], resolver: Resolver): Seq[String] =
    requested.map(column(_, resolver).name)

  final override def sampled(caseSensitive: Boolean): Option[SampledTable] =
    Some(SampledTable(columns.stored.map(c => c.name -> c.path), caseSensitive))
}
