package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.delta.DeltaColumns

/** A Delta table, whose index lists the files of the version that a query would read now. */
private[table] final class DeltaTable(name: String, relation: HadoopFsRelation)
    extends LakeTable(name, LakeFormat.Delta) {

  override protected def snapshotFiles: IndexedSeq[FileStatus] =
    relation.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus)).toIndexedSeq

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, session.table(name), condition).ofPartitions()

  override def location: Path = roots.head

  override protected def roots: Seq[Path] = relation.location.rootPaths

  override lazy val columns: TableColumns = DeltaColumns.of(relation).storedColumns

  override def taskFiles: TaskFiles = TaskFiles.OfHadoop
}
