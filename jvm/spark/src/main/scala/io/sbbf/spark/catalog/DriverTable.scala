package io.sbbf.spark.catalog

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.spark.{Doctor, PruneReport}

/**
 * A few rows of text that the driver knows; reading it runs no job.
 *
 * @param find the rows, asked for while a query of that session is planned
 */
private[catalog] final class DriverTable(
    override val name: String,
    columns: Seq[String],
    find: SparkSession => Seq[Seq[String]])
    extends SupportsRead {

  override val schema: StructType =
    columns.foldLeft(new StructType)(_.add(_, StringType, nullable = false))

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder {
    override def build(): Scan = new LocalScan {
      override def readSchema: StructType = schema
      override def rows: Array[InternalRow] = find(SparkSession.active)
        .map(row => InternalRow.fromSeq(row.map(UTF8String.fromString)))
        .toArray
    }
  }
}

private[catalog] object DriverTable {
  def doctor: DriverTable =
    new DriverTable(
      "doctor",
      Seq("name", "value"),
      Doctor.findings(_).map { case (name, value) =>
        Seq(name, value)
      })

  /** One row with the report on the query of `view`, which is planned for it and not run. */
  def report(view: String): DriverTable =
    new DriverTable(
      s"report on $view",
      Seq("report"),
      session => Seq(Seq(PruneReport.json(session.table(quoteIfNeeded(view)).queryExecution))))
}
