package io.sbbf.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{Row, SparkSession}

import io.sbbf.spark.command.Command
import io.sbbf.spark.report.{LastStatement, PruneReport}
import io.sbbf.spark.session.Doctor
import io.sbbf.spark.util.CommandOption

/**
 * A table of a few rows that the driver computes.
 *
 * @param find the rows for the options of a read, computed while a query is planned
 */
private[catalog] final class DriverTable(
    override val name: String,
    override val schema: StructType,
    find: Map[String, String] => Seq[Row])
    extends SupportsRead {

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(readOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val options = readOptions.asCaseSensitiveMap.asScala.toMap
    new ScanBuilder {
      override def build(): Scan = new LocalRows(schema, find(options))
    }
  }
}

private[catalog] object DriverTable {
  def doctor(session: SparkSession): DriverTable =
    new DriverTable(
      "doctor",
      texts("name", "value"),
      _ => Doctor.findings(session).map { case (name, value) => Row(name, value) })

  /**
   * Returns a table of one row with the report on the query of `view`. The query is planned and
   * not run.
   */
  def report(session: SparkSession, view: String): DriverTable =
    new DriverTable(
      s"report on $view",
      texts("report"),
      _ => Seq(Row(PruneReport.of(queryOf(session, view)).json)))

  /** Returns a table with the report on the session's last statement, empty if there is none. */
  def lastReport(session: SparkSession): DriverTable =
    new DriverTable(
      "last_report",
      texts("report"),
      _ => LastStatement.of(session).map(report => Row(report.json)).toSeq)

  /** Returns a table with the rows of a command, whose options are those of a read. */
  def rowsOf(command: String, session: SparkSession, table: String): DriverTable = {
    val found = Command.named(command)
    new DriverTable(
      s"$command of $table",
      found.schema,
      options => found.run(session, options + (CommandOption.Table.name -> table)))
  }

  private def queryOf(session: SparkSession, view: String): QueryExecution =
    session.table(quoteIfNeeded(view)).queryExecution

  private def texts(names: String*): StructType =
    names.foldLeft(new StructType)(_.add(_, StringType, nullable = false))
}
