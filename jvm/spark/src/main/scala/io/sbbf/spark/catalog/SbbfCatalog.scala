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

import io.sbbf.spark.session.SessionPruning

/**
 * What spark-sbbf has to say, as tables that SQL and every client of Spark can reach:
 *
 *   - ``sbbf.filters.`path` `` has the columns of `format("sbbf")`, and takes its options;
 *   - ``sbbf.reports.`view` `` has one row, with what pruning does to the query of a view, as JSON;
 *   - ``sbbf.advice.`path` `` has a row for each column of the files under a path, with what filters would cost and
 *     give there;
 *   - `sbbf.session.doctor` has what runs, each finding with its `name` and `value`.
 *
 * From Spark 4.0 on it has the procedures of [[SbbfProcedures]] too.
 *
 * Sessions with the extension have it under the name `sbbf`. In others
 * `spark.sql.catalog.sbbf=io.sbbf.spark.catalog.SbbfCatalog`, set at run time, brings it;
 * `ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = 'on')` then starts pruning in that session alone, and
 * `'off'` takes it back.
 */
final class SbbfCatalog extends TableCatalog with SupportsNamespaces with SbbfProcedures {
  import SbbfCatalog._

  private var catalogName = Name
  private var owner = Option.empty[SparkSession]

  /**
   * Binds the catalog to the session that loads it, at the first statement that names it. Each session loads its own,
   * and Spark hands it no session.
   */
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    catalogName = name
    owner = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
  }

  /** @throws IllegalStateException where no session was active when the catalog was loaded */
  protected def session: SparkSession = owner.getOrElse(throw new IllegalStateException(
    s"catalog $name: no session was active when it was loaded; name it in a statement of a session"))

  override def name: String = catalogName

  override def loadTable(table: Identifier): Table = (table.namespace.toSeq, table.name) match {
    case (Seq(Filters), path) => new FilterTable(path)
    case (Seq(Reports), view) => DriverTable.report(session, view)
    case (Seq(Advice), path) => DriverTable.advice(session, path)
    case (Seq(Session), Doctor) => DriverTable.doctor(session)
    case _ => throw new NoSuchTableException(table)
  }

  /** Those that are there without being asked for: a path or a view is a table once it is named. */
  override def listTables(namespace: Array[String]): Array[Identifier] = {
    loadNamespaceMetadata(namespace)
    if (namespace.toSeq == Seq(Session)) Array(Identifier.of(namespace, Doctor)) else Array.empty
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

  /** `pruning` of the namespace `session` is all that can be changed. */
  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    changes.foreach {
      case change: SetProperty if namespace.toSeq == Seq(Session) && change.property == Pruning =>
        change.value match {
          case On => SessionPruning.enable(session)
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
  // the form that Spark 3.5 asks for; later ones have it for old catalogs and end there too
  override def createTable(
      table: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]): Table = readOnly()
  override def alterTable(table: Identifier, changes: TableChange*): Table =
    if (changes.isEmpty) loadTable(table) else readOnly()

  /** Takes a view away that was there to be reported on, and leaves alone what is cached of its query. */
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
  private final val Session = "session"
  private final val Doctor = "doctor"
  private final val Pruning = "pruning"
  private final val On = "on"
  private final val Off = "off"
  private val Namespaces = Seq(Filters, Reports, Advice, Session)

  /** The name of the table that lists the filters under a path. */
  def filtersOf(path: String): Seq[String] = Seq(Name, Filters, path)

  /** Makes the catalog known to every session of this JVM that does not say otherwise. */
  def register(): Unit =
    SparkInternals.registerConf(
      s"spark.sql.catalog.$Name",
      "The catalog of spark-sbbf: filters, reports, advice and findings.",
      classOf[SbbfCatalog].getName,
      identity)
}
