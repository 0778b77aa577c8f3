package io.sbbf.spark.catalog

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.connector.catalog.NamespaceChange.SetProperty
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sbbf.spark.report.LastStatement
import io.sbbf.spark.session.SessionPruning

/**
 * The catalog of spark-sbbf. SQL and every client of Spark can read its tables. A `table` in a
 * name is a table's name, or a file, a folder or a glob pattern.
 *
 *   - ``sbbf.filters.`table` `` has the columns and the options of `format("sbbf")`.
 *   - ``sbbf.reports.`view` `` has one row, the JSON report on pruning for the query of a view.
 *   - ``sbbf.advice.`table` `` has a row for each column of the table's files, with the cost and
 *     the benefit of filters.
 *   - ``sbbf.indexes.`table` `` has a row for each column of the table's index.
 *   - `sbbf.session.doctor` has the diagnosis of the session: each finding has a `name` and a
 *     `value`.
 *   - `sbbf.session.last_report` has one row, the JSON report on the last statement that the session has
 *     run, and none before the first one.
 *
 * Since Spark 4.0 it also has the procedures of [[SbbfProcedures]].
 *
 * Sessions with the extension have the catalog under the name `sbbf`. Other sessions get it by
 * `spark.sql.catalog.sbbf=io.sbbf.spark.catalog.SbbfCatalog`, set at run time. There,
 * `ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = 'on')` starts pruning in that session
 * alone, and `'off'` stops it.
 */
final class SbbfCatalog extends TableCatalog with SupportsNamespaces with SbbfProcedures {
  import SbbfCatalog._

  private var catalogName = Name
  private var owner = Option.empty[SparkSession]

  /**
   * Binds the catalog to the session that loads it, at the first statement that names it. Each
   * session loads its own catalog, and Spark does not pass the session.
   */
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    catalogName = name
    owner = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
  }

  /**
   * Returns the session that loaded the catalog.
   *
   * @throws IllegalStateException if no session was active when the catalog was loaded
   */
  protected def session: SparkSession = owner.getOrElse(
    throw new IllegalStateException(
      s"catalog $name was loaded without an active session: name it in a statement of a session"))

  override def name: String = catalogName

  override def loadTable(table: Identifier): Table = (table.namespace.toSeq, table.name) match {
    case (Seq(Filters), path) => new FilterTable(path)
    case (Seq(Reports), view) => DriverTable.report(session, view)
    case (Seq(Advice), path) => DriverTable.rowsOf("advise", session, path)
    case (Seq(Indexes), path) => DriverTable.rowsOf("index_info", session, path)
    case (Seq(Session), Doctor) => DriverTable.doctor(session)
    case (Seq(Session), LastReport) => DriverTable.lastReport(session)
    case _ => throw new NoSuchTableException(table)
  }

  /** Lists only the tables with fixed names: any path or view is a table once it is named. */
  override def listTables(namespace: Array[String]): Array[Identifier] = {
    loadNamespaceMetadata(namespace)
    if (namespace.toSeq == Seq(Session))
      Array(Doctor, LastReport).map(Identifier.of(namespace, _))
    else Array.empty
  }

  override def listNamespaces(): Array[Array[String]] = Namespaces.map(Array(_)).toArray

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    if (namespace.isEmpty) listNamespaces()
    else {
      loadNamespaceMetadata(namespace)
      Array.empty
    }

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    namespace.toSeq match {
      case Seq(Session) =>
        val isActive = SessionPruning.isActive(session)
        util.Collections.singletonMap(Pruning, if (isActive) On else Off)
      case Seq(one) if Namespaces.contains(one) => util.Collections.emptyMap()
      case _ => throw new NoSuchNamespaceException(namespace)
    }

  /** Changes the property `pruning` of the namespace `session`, and refuses all others. */
  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    changes.foreach {
      case change: SetProperty if namespace.toSeq == Seq(Session) && change.property == Pruning =>
        change.value match {
          case On =>
            SessionPruning.enable(session)
            LastStatement.watch(session.sparkContext)
          case Off => SessionPruning.disable(session)
          case other =>
            throw new IllegalArgumentException(s"$Pruning must be '$On' or '$Off', not '$other'")
        }
      case _ =>
        throw new UnsupportedOperationException(
          s"$name: only the property $Pruning of the namespace $Session can be changed")
    }

  override def createNamespace(
      namespace: Array[String],
      metadata: util.Map[String, String]): Unit =
    readOnly()
  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = readOnly()
  // the form of Spark 3.5; later versions keep it for old catalogs, and still call it
  override def createTable(
      table: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]): Table = readOnly()
  override def alterTable(table: Identifier, changes: TableChange*): Table =
    if (changes.isEmpty) loadTable(table) else readOnly()

  /** Drops the temporary view behind a report, and keeps the cached data of its query. */
  override def dropTable(table: Identifier): Boolean =
    if (table.namespace.toSeq != Seq(Reports)) readOnly()
    else session.sessionState.catalog.dropTempView(table.name)
  override def renameTable(from: Identifier, to: Identifier): Unit = readOnly()

  private def readOnly(): Nothing =
    throw new UnsupportedOperationException(s"$name: its tables can only be read")
}

private[spark] object SbbfCatalog {
  private final val Name = "sbbf"
  private final val Filters = "filters"
  private final val Reports = "reports"
  private final val Advice = "advice"
  private final val Indexes = "indexes"
  private final val Session = "session"
  private final val Doctor = "doctor"
  private final val LastReport = "last_report"
  private final val Pruning = "pruning"
  private final val On = "on"
  private final val Off = "off"
  private val Namespaces = Seq(Filters, Reports, Advice, Indexes, Session)

  /** Registers the catalog for all sessions of this JVM that do not configure another one. */
  def register(): Unit =
    SparkInternals.registerConf(
      s"spark.sql.catalog.$Name",
      "The catalog of spark-sbbf: filters, reports, advice and findings.",
      classOf[SbbfCatalog].getName,
      identity)
}
