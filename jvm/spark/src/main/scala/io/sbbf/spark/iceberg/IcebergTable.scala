package io.sbbf.spark.iceberg

import scala.util.Try

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.scan.PointLookupStats
import io.sbbf.spark.table.LakeFormat.Settings
import io.sbbf.spark.table.{LakeFormat, LakeTable, PartitionFilter, TaskFiles}

/** An Iceberg table, whose scan plans the files of the snapshot that a query would read now. */
private[iceberg] final class IcebergTable(name: String, scan: IcebergScan)
    extends LakeTable(name, IcebergTable) {

  override protected def snapshotFiles: IndexedSeq[FileStatus] = scan.files

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, session.table(name), condition).ofScans { planned =>
      Some(planned).filter(IcebergScan.isKnown).map(new IcebergScan(_).files)
    }

  override def indexable: Seq[FileStatus] = scan.evidence.sortBy(_.getPath.toString)

  override lazy val columns: Option[TableColumns] = Some(scan.storedColumns)

  override def lookup(conf: SQLConf): ColumnLookup = new IcebergColumns(scan).lookup

  override lazy val taskFiles: TaskFiles = TaskFiles.of(scan.taskStore)

  override def roots: Seq[Path] = Seq(new Path(scan.location))

  override def history(session: SparkSession): PointLookupStats.Counts =
    throw new IllegalArgumentException(
      s"$name is an Iceberg table, and a session keeps no history of lookups in these: name queries")
}

private[spark] object IcebergTable extends LakeFormat {
  override def name: String = "Iceberg"

  override def aTable: String = "an Iceberg table"

  override protected def classes: String = "org.apache.iceberg"

  override def howToChange: String =
    "ALTER TABLE ... SET TBLPROPERTIES (...) with the properties that advise lists, or with " +
      "'write.parquet.bloom-filter-enabled.column.<column>' = 'false' for no filters, and " +
      "rewrite the files by CALL <catalog>.system.rewrite_data_files(table => " +
      "..., options => map('rewrite-all', 'true'))"

  override def tableOf(name: String, relation: LogicalPlan): Option[LakeTable] = relation match {
    case read: DataSourceV2Relation =>
      IcebergScan.ofTable(read.table, read.options).map(new IcebergTable(name, _))
    case _ => None
  }

  /** Iceberg ignores the NDV before version 1.11, and makes filters of the largest size. */
  override protected def settings(column: String, stored: String): Settings =
    Settings(
      enabled = s"write.parquet.bloom-filter-enabled.column.$column",
      ndv = s"write.parquet.bloom-filter-ndv.column.$column",
      fpp = s"write.parquet.bloom-filter-fpp.column.$column",
      adaptive =
        if (isAdaptive) Some(Map("write.parquet.bloom-filter-adaptive-enabled" -> "true"))
        else None,
      maxBytes = "write.parquet.bloom-filter-max-bytes"
    )

  /** Whether the session's Iceberg chooses the size of a filter by its values: from 1.12 on. */
  private def isAdaptive: Boolean = Try(
    Thread.currentThread.getContextClassLoader
      .loadClass("org.apache.iceberg.TableProperties")
      .getField("PARQUET_BLOOM_FILTER_ADAPTIVE_ENABLED")).isSuccess
}
