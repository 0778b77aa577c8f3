package io.sbbf.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{Row, SparkSession}

import io.sbbf.spark.advise.{AdviceJob, AdviceRequest, ColumnAdvice}
import io.sbbf.spark.index.IndexCommand
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.session.Doctor

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
    val options = Map.newBuilder[String, String]
    readOptions.asCaseSensitiveMap.forEach((key, value) => options += key -> value)
    new ScanBuilder {
      override def build(): Scan =
        new LocalRows(schema, find(options.result()))
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
      _ => Seq(Row(PruneReport.json(queryOf(session, view)))))

  /**
   * Returns a table with a row for each column of another table's files
   * ([[ColumnAdvice.Schema]]). Spark jobs compute it. Its options are those of
   * [[AdviceRequest.parse]].
   */
  def advice(session: SparkSession, table: String): DriverTable =
    new DriverTable(
      s"advice on $table",
      ColumnAdvice.Schema,
      options =>
        new AdviceJob(session, AdviceRequest.of(table, options))
          .run()
          .map(_.row))

  /** Returns a table with a row for each column of another table's index. */
  def index(session: SparkSession, table: String): DriverTable =
    new DriverTable(
      s"index of $table",
      IndexCommand.InfoSchema,
      _ => IndexCommand.info(session, table))

  private def queryOf(session: SparkSession, view: String): QueryExecution =
    session.table(quoteIfNeeded(view)).queryExecution

  private def texts(names: String*): StructType =
    names.foldLeft(new StructType)(_.add(_, StringType, nullable = false))
}
