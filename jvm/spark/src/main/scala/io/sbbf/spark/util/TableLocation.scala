package io.sbbf.spark.util

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}

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
   *   folder
   */
  def of(table: String, session: SparkSession): String = {
    val exists = isPath(table, session.sessionState.newHadoopConf())
    (if (isPlain(table)) lookUp(table, session) else None) match {
      case Some(_) if exists =>
        throw new IllegalArgumentException(
          s"$table is a table and a path: write ./$table for the path, or name the database")
      case Some(found) => folderOf(found, table, session)
      case None if exists => table
      case None => throw new IllegalArgumentException(s"no file or table named $table")
    }
  }

  /** Whether the text can only be a path, or a file or folder of this name exists. */
  def isPath(table: String, conf: Configuration): Boolean =
    !isPlain(table) || {
      val path = new Path(table)
      path.getFileSystem(conf).exists(path)
    }

  /** Whether the text has no character of paths and patterns, and may be a table's name. */
  private def isPlain(table: String): Boolean =
    table.nonEmpty && !table.exists(c => c == '/' || c == ':' || TableFiles.isGlob(c))

  private def lookUp(table: String, session: SparkSession): Option[CatalogTable] = {
    val catalog = session.sessionState.catalog
    Try(session.sessionState.sqlParser.parseMultipartIdentifier(table)).toOption
      .collect {
        case Seq(name) => TableIdentifier(name)
        case Seq(database, name) => TableIdentifier(name, Some(database))
        case Seq(SessionCatalog, database, name) => TableIdentifier(name, Some(database))
      }
      .filter(catalog.tableExists)
      .map(catalog.getTableMetadata)
  }

  private def folderOf(found: CatalogTable, table: String, session: SparkSession): String = {
    def refuse(why: String): Nothing = throw new IllegalArgumentException(s"$table $why")
    if (found.tableType == CatalogTableType.VIEW) refuse("is a view: name its table")
    if (!isParquet(found))
      refuse(s"has the format ${found.provider.getOrElse("unknown")}, expected parquet")
    val folder = new Path(found.location)
    if (found.partitionColumnNames.nonEmpty && found.tracksPartitionsInCatalog) {
      val prefix = folder.toUri.getPath.stripSuffix("/") + "/"
      session.sessionState.catalog
        .listPartitions(found.identifier)
        .find(partition => !partition.location.getPath.startsWith(prefix))
        .foreach(p => refuse(s"has partitions outside of $folder: name ${p.location} instead"))
    }
    folder.toString
  }

  /** Whether Spark reads the table as Parquet, also one that Hive created. */
  private def isParquet(table: CatalogTable): Boolean =
    table.provider.exists(_.equalsIgnoreCase("parquet")) ||
      (table.provider.forall(_ == "hive") &&
        table.storage.serde.exists(_.toLowerCase(java.util.Locale.ROOT).contains("parquet")))
}
