package io.sbbf.spark.delta

import scala.util.Try

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.files.FileRelation
import io.sbbf.spark.table.LakeFormat.Settings
import io.sbbf.spark.table.{LakeFormat, LakeTable, PartitionFilter}

/** A Delta table, whose index lists the files of the version that a query would read now. */
private[delta] final class DeltaTable(name: String, relation: HadoopFsRelation)
    extends LakeTable(name, DeltaTable) {

  override protected def snapshotFiles: IndexedSeq[FileStatus] =
    relation.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus)).toIndexedSeq

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, session.table(name), condition).ofPartitions()

  override def roots: Seq[Path] = relation.location.rootPaths

  override lazy val columns: Option[TableColumns] =
    Some(DeltaColumns.of(relation).storedColumns)
}

private[spark] object DeltaTable extends LakeFormat {
  override def name: String = "Delta"

  override def aTable: String = "a Delta table"

  override protected def classes: String = "org.apache.spark.sql.delta"

  override def howToChange: String =
    "ALTER TABLE ... SET TBLPROPERTIES (...) with the properties that advise lists, or with " +
      "'parquet.bloom.filter.enabled#<column>' = 'false' for no filters, and rewrite the files " +
      "by INSERT OVERWRITE, or by OPTIMIZE as far as it merges files"

  override def tableOf(name: String, relation: LogicalPlan): Option[LakeTable] = relation match {
    case FileRelation(_, files)
        if DeltaRelation.isDelta(files) && DeltaRelation.listsDataFiles(files.location) =>
      Some(new DeltaTable(name, files))
    case _ => None
  }

  override protected def settings(column: String, stored: String): Settings =
    Settings(
      enabled = s"parquet.bloom.filter.enabled#$stored",
      ndv = s"parquet.bloom.filter.expected.ndv#$stored",
      fpp = s"parquet.bloom.filter.fpp#$stored",
      adaptive =
        if (!isAdaptive) None
        else
          Some(
            Map(
              "parquet.bloom.filter.adaptive.enabled" -> "true",
              s"parquet.bloom.filter.candidates.number#$stored" -> MostSizes)),
      maxBytes = "parquet.bloom.filter.max.bytes"
    )

  /** From 1 MiB down to 2 KiB. */
  private final val MostSizes = "10"

  /** Whether Spark's parquet-mr chooses the size of a filter by its values: from 1.14 on, in Spark 4. */
  private lazy val isAdaptive: Boolean =
    Try(classOf[ParquetOutputFormat[_]].getField("ADAPTIVE_BLOOM_FILTER_ENABLED")).isSuccess
}
