package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.iceberg.{IcebergColumns, IcebergScan}
import io.sbbf.spark.scan.PointLookupStats

/** An Iceberg table, whose scan plans the files of the snapshot that a query would read now. */
private[table] final class IcebergTable(name: String, scan: IcebergScan)
    extends LakeTable(name, LakeFormat.Iceberg) {

  override protected def snapshotFiles: IndexedSeq[FileStatus] = scan.files

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, session.table(name), condition).ofIceberg()

  override def location: Path = new Path(scan.location)

  override def indexable: Seq[FileStatus] = scan.evidence.sortBy(_.getPath.toString)

  override lazy val columns: TableColumns = scan.storedColumns

  override def lookup(conf: SQLConf): ColumnLookup = new IcebergColumns(scan).lookup

  override lazy val taskFiles: TaskFiles = TaskFiles.of(scan.taskStore)

  override protected def roots: Seq[Path] = Seq(location)

  override def history(session: SparkSession): PointLookupStats.Counts =
    throw new IllegalArgumentException(
      s"$name is an Iceberg table, and a session keeps no history of lookups in these: name queries")
}
