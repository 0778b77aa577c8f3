package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.parquet.append.TableFormatDetector
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.util.TableFiles

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
  override protected def roots: Seq[Path] = found.map(_.getPath)

  override lazy val files: Seq[FileStatus] = new TableFiles(name, conf).data

  /** The schema of the table without its partition columns; None if a path has no table. */
  def tableSchema: Option[StructType] = table.map(_.dataSchema)

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
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
}

private object ParquetPath {

  /** A column of no file. */
  val NoColumn: String = "sbbf no column"
}
