package io.sbbf.spark.location

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.parquet.append.TableFormatDetector
import io.sbbf.spark.table.{KeyOpener, NamedFiles, PartitionFilter}
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
    override val isOrc: Boolean = false)
    extends NamedFiles {
  private lazy val found = TableFiles.roots(name, conf)
  private lazy val listing = new TableFiles(name, conf)
  override def roots: Seq[Path] = found.map(_.getPath)
  override def files: Seq[FileStatus] = listing.data
  override def tableSchema: Option[StructType] = table.map(_.dataSchema)

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, rows(session), condition).ofPartitions()

  /** Returns the rows with their partition columns alone, which needs no file to be read. */
  private def rows(session: SparkSession): DataFrame =
    session.read
      .schema(
        table.fold(new StructType)(_.partitionSchema).add(ParquetPath.NoColumn, IntegerType))
      .parquet(name)
      .drop(ParquetPath.NoColumn)

  /** Makes the session list the files anew, also in queries of the table by its name. */
  def refresh(session: SparkSession): Unit = {
    session.catalog.refreshByPath(name)
    table.foreach(found => session.catalog.refreshTable(found.identifier.quotedString))
  }

  override def keys(columns: Seq[String]): KeyOpener = KeyOpener.Parquet

  override def tableWithLog: Option[(Path, String)] = TableFormatDetector.of(found, conf)

  /** Returns the folder and the format of a table with a log that the path or one of the files is in. */
  def tableWithLogOf(files: Seq[FileStatus]): Option[(Path, String)] =
    TableFormatDetector.of(found, conf, files).orElse(listing.tableWithLog)
}

private object ParquetPath {

  /** A column of no file. */
  val NoColumn: String = "sbbf no column"
}
