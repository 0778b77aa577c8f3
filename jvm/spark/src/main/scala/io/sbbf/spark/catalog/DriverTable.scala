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
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.session.Doctor

/**
 * A few rows that the driver finds.
 *
 * @param find the rows, by the options of the read, called while a query is planned
 */
private[catalog] final class DriverTable(
    override val name: String,
    override val schema: StructType,
    find: Map[String, String] => Seq[Row])
    extends SupportsRead {

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(asked: CaseInsensitiveStringMap): ScanBuilder = {
    val options = Map.newBuilder[String, String]
    asked.asCaseSensitiveMap.forEach((key, value) => options += key -> value)
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

  /** One row with the report on the query of `view`, which is planned for it and not run. */
  def report(session: SparkSession, view: String): DriverTable =
    new DriverTable(
      s"report on $view",
      texts("report"),
      _ => Seq(Row(PruneReport.json(queryOf(session, view)))))

  /**
   * A row for each column of the files under a path ([[ColumnAdvice.Schema]]), found by jobs of Spark. Its options are
   * those of [[AdviceRequest.parse]].
   */
  def advice(session: SparkSession, path: String): DriverTable =
    new DriverTable(
      s"advice on $path",
      ColumnAdvice.Schema,
      options =>
        new AdviceJob(session, AdviceRequest.parse(options + ("path" -> path))).run().map(_.row))

  private def queryOf(session: SparkSession, view: String): QueryExecution =
    session.table(quoteIfNeeded(view)).queryExecution

  private def texts(names: String*): StructType =
    names.foldLeft(new StructType)(_.add(_, StringType, nullable = false))
}
