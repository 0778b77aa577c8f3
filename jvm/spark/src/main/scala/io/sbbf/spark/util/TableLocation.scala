package io.sbbf.spark.util

import java.io.IOException
import java.util.Locale

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetDataSourceV2

/** Finds the files of a table by its name. */
private[spark] object TableLocation {

  /** The catalog of every session (`CatalogManager.SESSION_CATALOG_NAME`). */
  private final val SessionCatalog = "spark_catalog"

  /**
   * Returns the folder of a Parquet table in the session's catalog, or `table` if it is a path.
   *
   * @param table a name such as `db.events`, or a file, a folder or a glob pattern
   * @throws IllegalArgumentException if there is neither a file nor a table of this name, if there
   *   are both, or if the table is a view, has another format, or has partitions outside of its
   *   partition folders
   */
  def of(table: String, session: SparkSession): String = {
    val exists =
      try isPath(table, session.sessionState.newHadoopConf())
      catch { case _: IOException => false } // the table may be in another store
    val found =
      if (!isPlain(table)) None
      else
        try new Named(table, session).find()
        catch { case NonFatal(_) if exists => None } // the path needs no metastore
    found match {
      case Some(_) if exists =>
        throw new IllegalArgumentException(
          s"$table is a table and a path: write ./$table, or $SessionCatalog.database.table")
      case Some(folder) => folder()
      case None if exists => table
      case None =>
        throw new IllegalArgumentException(
          s"no file or table named $table: names are looked up in $SessionCatalog, the catalog of Parquet tables")
    }
  }

  /**
   * Whether the text can only be a path, or a file or folder of this name exists.
   *
   * @throws java.io.IOException if the store cannot be reached
   */
  def isPath(table: String, conf: Configuration): Boolean =
    !isPlain(table) || {
      val path = new Path(table)
      path.getFileSystem(conf).exists(path)
    }

  /** Whether the text has no character of paths and patterns, and may be a table's name. */
  private def isPlain(table: String): Boolean =
    table.nonEmpty && !table.exists(c => c == '/' || c == ':' || TableFiles.isGlob(c))

  /** A name, resolved as a query of the session resolves it. */
  private final class Named(table: String, session: SparkSession) {
    private val catalog = session.sessionState.catalog

    /** Returns the table's folder, once it is needed; None if there is no such table. */
    def find(): Option[() => String] =
      identifier.filter(catalog.tableExists).map { id => () =>
        folderOf(catalog.getTableMetadata(id))
      }

    private def identifier: Option[TableIdentifier] = {
      val isCurrent =
        session.catalog.currentCatalog() == SessionCatalog
      Try(session.sessionState.sqlParser.parseMultipartIdentifier(table)).toOption.collect {
        case Seq(name) if catalog.isTempView(TableIdentifier(name)) =>
          refuse("is a temporary view: name its table")
        case Seq(name) if isCurrent => TableIdentifier(name)
        case Seq(database, name) if isCurrent => TableIdentifier(name, Some(database))
        case Seq(SessionCatalog, database, name) => TableIdentifier(name, Some(database))
      }
    }

    private def folderOf(found: CatalogTable): String = {
      if (found.tableType == CatalogTableType.VIEW) refuse("is a view: name its table")
      if (!isParquet(found))
        refuse(s"has the format ${found.provider.getOrElse("unknown")}, expected parquet")
      val folder = qualified(new Path(found.location))
      if (folder.toString.exists(TableFiles.isGlob))
        refuse(s"is in $folder, whose name is a pattern: rename the folder")
      if (found.partitionColumnNames.nonEmpty && found.tracksPartitionsInCatalog)
        catalog
          .listPartitions(found.identifier)
          .map(partition => qualified(new Path(partition.location)))
          .find(!isPartitionOf(folder, _))
          .foreach(p => refuse(s"has a partition in $p, outside of $folder: name the folders"))
      folder.toString
    }

    /** Whether a listing of the table's folder finds the partition (`column=value` folders). */
    private def isPartitionOf(folder: Path, partition: Path): Boolean = {
      val below = partition.toString.stripPrefix(folder.toString + "/")
      below != partition.toString && below.split("/").forall(_.contains("="))
    }

    private def qualified(path: Path): Path =
      path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path)

    /** Whether Spark reads the table as Parquet, including one that Hive created. */
    private def isParquet(table: CatalogTable): Boolean = {
      val provider = table.provider.getOrElse("hive")
      if (provider == "hive")
        table.storage.serde.exists(_.toLowerCase(Locale.ROOT).contains("parquet"))
      else
        Try(DataSource.lookupDataSource(provider, session.sessionState.conf)).toOption
          .exists(source =>
            source == classOf[ParquetFileFormat] || source == classOf[ParquetDataSourceV2])
    }

    private def refuse(why: String): Nothing = throw new IllegalArgumentException(s"$table $why")
  }
}
