package io.sbbf.spark.location

import java.util.Locale

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, View}
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, CharVarcharCodegenUtils}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.orc.OrcDataSourceV2
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetDataSourceV2
import org.apache.spark.sql.execution.datasources.{DataSource, LogicalRelation}
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.sbbf.spark.formats.Formats
import io.sbbf.spark.source.SourceFiles
import io.sbbf.spark.table.{LakeTable, NamedFiles}
import io.sbbf.spark.util.TableFiles

/**
 * A name, resolved as a query of the session resolves it.
 *
 * @param takesOrc whether it may be the name of a table of ORC files
 */
private[location] final class NamedTable(
    table: String,
    session: SparkSession,
    takesOrc: Boolean) {
  import NamedTable._

  private val catalog = session.sessionState.catalog
  private lazy val conf = session.sessionState.newHadoopConf()

  /** The table in the session's own catalog, which knows the folders of Parquet tables. */
  private lazy val inCatalog: Option[CatalogTable] =
    identifier.filter(catalog.tableExists).map(catalog.getTableMetadata)

  /** The plan of a query of the table, None if there is no such table. */
  private lazy val analyzed: Option[LogicalPlan] =
    try Some(EliminateSubqueryAliases(session.table(table).queryExecution.analyzed))
    catch { case _: AnalysisException => None }

  /**
   * Whether there is a table of this name.
   *
   * @throws IllegalArgumentException if the name is of a temporary view
   */
  def exists: Boolean = inCatalog.isDefined || analyzed.isDefined

  /**
   * Returns the files of the table, which exists.
   *
   * @throws IllegalArgumentException if it is a view, has another format, or has partitions outside
   *   of its partition folders
   */
  def files: NamedFiles = inCatalog match {
    case Some(found) if isParquet(found) => new ParquetPath(folderOf(found), conf, Some(found))
    case Some(found) if takesOrc && isOrc(found) =>
      new ParquetPath(folderOf(found), conf, Some(found), isOrc = true)
    case Some(found) => lake(found)
    case None => lakeIn(analyzed.get, s"is not $Known")
  }

  /**
   * Returns the files of another format that Spark's own readers read for the name, if it does not
   * stand for a Parquet table.
   */
  def source: Option[SourceFiles] =
    if (isTemporaryView || TableLocation.namesPath(table) || inCatalog.exists(!isParquet(_)))
      Try(analyzed).toOption.flatten.flatMap(readOf)
    else None

  private def isTemporaryView: Boolean =
    Try(session.sessionState.sqlParser.parseMultipartIdentifier(table)).toOption.exists {
      case Seq(name) => catalog.isTempView(TableIdentifier(name))
      case _ => false
    }

  private def readOf(plan: LogicalPlan): Option[SourceFiles] = plan match {
    case Project(columns, relation: LogicalRelation) if columns.forall(isRead) => readOf(relation)
    case view: View if view.isTempView => readOf(EliminateSubqueryAliases(view.child))
    case relation: LogicalRelation => SourceFiles.of(table, relation, session)
    case _ => None
  }

  /** Whether it is a column of the files; Spark pads those of the type CHAR. */
  private def isRead(column: NamedExpression): Boolean = column match {
    case _: Attribute => true
    case Alias(of: Attribute, name) => of.name == name
    case Alias(call: StaticInvoke, _) => call.staticObject == classOf[CharVarcharCodegenUtils]
    case _ => false
  }

  private def identifier: Option[TableIdentifier] = {
    val isCurrent = session.catalog.currentCatalog() == SessionCatalog
    Try(session.sessionState.sqlParser.parseMultipartIdentifier(table)).toOption.collect {
      case Seq(name) if catalog.isTempView(TableIdentifier(name)) =>
        refuse("is a temporary view: name its table")
      case Seq(name) if isCurrent => TableIdentifier(name)
      case Seq(database, name) if isCurrent => TableIdentifier(name, Some(database))
      case Seq(SessionCatalog, database, name) => TableIdentifier(name, Some(database))
    }
  }

  /** Returns the lake table that the session's catalog has under its own name. */
  private def lake(found: CatalogTable): LakeTable = {
    refuseView(found)
    val format = s"has the format ${found.provider.getOrElse("unknown")}"
    val plan =
      try analyzed
      catch {
        case NonFatal(e) => refuse(s"$format, which this session cannot read: ${e.getMessage}")
      }
    lakeIn(
      plan.getOrElse(refuse(s"$format, which this session cannot read")),
      s"$format, expected ${if (takesOrc) "parquet, orc" else "parquet"}, " +
        Formats.lakes.map(_.name.toLowerCase(Locale.ROOT)).mkString(" or ")
    )
  }

  private def lakeIn(plan: LogicalPlan, otherwise: => String): LakeTable = plan match {
    case Project(_, relation: LogicalRelation) => lakeIn(relation, otherwise) // pads CHAR columns
    case _: View => refuse("is a view: name its table")
    case read =>
      Formats.lakes.flatMap(_.tableOf(table, read)).headOption.getOrElse(refuse(otherwise))
  }

  private def folderOf(found: CatalogTable): String = {
    refuseView(found)
    if (CaseInsensitiveMap(found.storage.properties).get(Recursive).exists(_.toBoolean))
      refuse(s"is read with the option $Recursive: name the folders of its files")
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
    path.getFileSystem(conf).makeQualified(path)

  /** Whether Spark reads the table as Parquet, including one that Hive created. */
  private def isParquet(table: CatalogTable): Boolean =
    hasFormat(table, "parquet", classOf[ParquetFileFormat], classOf[ParquetDataSourceV2])

  /** Whether Spark reads the table as ORC, including one that Hive created. */
  private def isOrc(table: CatalogTable): Boolean =
    hasFormat(table, "orc", classOf[OrcFileFormat], classOf[OrcDataSourceV2])

  private def hasFormat(table: CatalogTable, serde: String, sources: Class[_]*): Boolean = {
    val provider = table.provider.getOrElse("hive")
    if (provider == "hive")
      table.storage.serde.exists(_.toLowerCase(Locale.ROOT).contains(serde))
    else
      Try(DataSource.lookupDataSource(provider, session.sessionState.conf)).toOption
        .exists(sources.contains(_))
  }

  private def refuseView(found: CatalogTable): Unit =
    if (found.tableType == CatalogTableType.VIEW) refuse("is a view: name its table")

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(s"$table $why")
}

private object NamedTable {

  /** The catalog of every session (`CatalogManager.SESSION_CATALOG_NAME`). */
  private final val SessionCatalog = "spark_catalog"

  /** FileIndexOptions.RECURSIVE_FILE_LOOKUP: files in all folders below the table's belong to it. */
  private final val Recursive = "recursiveFileLookup"

  private val Known =
    s"a ${Formats.lakes.map(_.name).mkString(" or ")} table of data files, nor a Parquet table of " +
      SessionCatalog
}
