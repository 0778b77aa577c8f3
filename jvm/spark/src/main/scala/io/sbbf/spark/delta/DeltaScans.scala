package io.sbbf.spark.delta

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Subquery, V2WriteCommand}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.prune.FileEvaluators
import io.sbbf.spark.files.{FilesFormat, PrunedFileIndex, PrunedFileScan, ScanColumns}
import io.sbbf.spark.parquet.ParquetScans
import io.sbbf.spark.scan.ObservesSplits
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.util.{ExecutorJar, SbbfConf}

/**
 * Scans of Delta tables, which have their files at the end of the optimizer, after Delta's own data
 * skipping. The relation keeps Delta's index, with the size of what is left: Delta's planner
 * recognizes the index by its class, to leave out deleted rows. [[ReadPrunedDeltaFiles]] replaces
 * the index in the physical plan.
 */
private[spark] object DeltaScans extends FilesFormat {

  override def isListedEarly: Boolean = false

  /**
   * Delta chooses the files of subqueries with the query around them. It leaves writes alone, and
   * plans the query of its own ones again.
   */
  override def isListedIn(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery | _: V2WriteCommand => false
    case _ => true
  }

  override def recognizes(files: HadoopFsRelation): Boolean = DeltaRelation.isDelta(files)

  override def whyNever(files: HadoopFsRelation, conf: SQLConf): Option[String] = {
    val index = FilesFormat.baseOf(files.location)
    if (!DeltaRelation.listsDataFiles(index)) {
      val planner = index.getClass.getSimpleName
      Some(s"a read of a Delta table that is not pruned: $planner plans its files by itself")
    } else if (!SbbfConf.Delta.get(conf)) Some(s"${SbbfConf.Delta.key} is false")
    else None
  }

  override def columns(files: HadoopFsRelation): ScanColumns = new ScanColumns(files) {
    private lazy val delta = DeltaColumns.of(files)

    override def listsNewest: FileIndex => Boolean = DeltaRelation.listsNewest

    override def nameInTable(column: ColumnPath): String = delta.nameInTable(column)

    override protected def inFiles(schema: StructType): StructType = delta.fileSchema(schema)

    override protected def mixes: Expression => Boolean = delta.mixes

    override protected def stored(filters: Seq[Expression]): Seq[Expression] =
      filters.flatMap(delta.filterOnFiles)
  }

  /** Returns the scan with the size of what is left, and marks it. */
  override def withIndex(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): LogicalRelation = {
    val resized = SparkInternals.withFiles(
      files,
      DeltaRelation.withSize(files.location, index.sizeInBytes).getOrElse(files.location),
      files.fileFormat,
      Map(Pruned -> "true"))
    val next = FilesFormat.withStatistics(scan, index, resized)
    PrunedFileScan.mark(next, index)
    next
  }

  /** An option that nothing reads: the optimizer would drop a copy that equals the original. */
  private final val Pruned = "spark.sbbf.pruned"

  /** Delta adds all of `_metadata` to scans with deletion vectors, and needs only row indexes. */
  override def outputObservesSplits(scan: FileSourceScanExec): Boolean =
    scan.logicalLink.forall(ObservesSplits.in)

  override protected def tableIndex(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): RowGroupIndex =
    TableIndex.ofLake(files.location.rootPaths.head, hadoopConf, conf)

  override def canSelectRows: (HadoopFsRelation, SQLConf) => Boolean =
    (files, _) => ExecutorJar.isThere(files.sparkSession.sparkContext)

  override def selectingRows: (HadoopFsRelation, Seq[Expression]) => HadoopFsRelation =
    (files, filters) =>
      (files.fileFormat, files.location) match {
        case (delta: ParquetFileFormat, index: PrunedFileIndex) =>
          val columns = DeltaColumns.of(files)
          val format = new RowSelectingDeltaFormat(delta, filters, index, columns.fileSchema)
          files.copy(fileFormat = format)(files.sparkSession)
        case _ => files
      }

  /** Delta's log may have other times than the store; its files are never replaced. */
  override protected def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): Option[FileEvaluators] =
    Some(ParquetScans.evaluators(files, hadoopConf, conf, checksVersions = false))
}
