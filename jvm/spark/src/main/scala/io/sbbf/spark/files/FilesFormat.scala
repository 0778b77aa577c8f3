package io.sbbf.spark.files

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceConstantMetadataAttribute}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.prune.{FileEvaluators, ListingPruner}
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.scan.{PrunableScan, RunningScan, ScanFormat}
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.util.{ExecutorJar, LogOnce, SbbfConf}

/** A format whose tables Spark plans as a relation of files. */
private[spark] abstract class FilesFormat extends ScanFormat {

  /** Returns whether a relation is in this format. */
  def recognizes(files: HadoopFsRelation): Boolean

  /** Returns why no scan of such a relation is pruned, if none is. */
  def whyNever(files: HadoopFsRelation, conf: SQLConf): Option[String]

  /** Whether only an index can rule out files, which hold no evidence themselves. */
  def needsIndex: Boolean = false

  /** Returns the columns that filters on a relation name in its files. */
  def columns(files: HadoopFsRelation): ScanColumns = new ScanColumns(files)

  /** Returns the index of the table that a scan searches. */
  protected def tableIndex(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): RowGroupIndex =
    TableIndex.of(files.location.rootPaths, hadoopConf, conf, ReadFingerprint.ofScan(files))

  /** Returns what evaluates predicates on what the files hold, None if they hold no evidence. */
  protected def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): Option[FileEvaluators]

  /**
   * Returns the relation with an index that has listed its files.
   *
   * @param hasRuntimeFilters whether only tasks know some values of the filter
   */
  def withIndex(
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): HadoopFsRelation =
    withReadPolicy(files, index, conf, hasRuntimeFilters)

  /** Returns the scan with an index that has listed its files; as for [[withIndex]]. */
  def withIndex(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): LogicalRelation =
    FilesFormat.withStatistics(scan, index, withIndex(files, index, conf, hasRuntimeFilters))

  /**
   * Whether options state which filters parquet-mr may evaluate, and so depend on all filters above
   * a scan. A format that reads only what is left decides when it reads.
   */
  def decidesByOptions: Boolean = false

  /** Returns whether tasks can choose rows inside of the row groups that are left. */
  def canSelectRows: (HadoopFsRelation, SQLConf) => Boolean = (_, _) => false

  /**
   * Returns the relation whose tasks choose rows by the conjuncts of a scan's filter, the relation itself
   * where they cannot.
   */
  def selectingRows: (HadoopFsRelation, Seq[Expression]) => HadoopFsRelation = (files, _) => files

  /** Returns whether the query sees by the scan's output how files are cut into splits. */
  def outputObservesSplits(scan: FileSourceScanExec): Boolean = scan.output.exists {
    case FileSourceConstantMetadataAttribute(column) =>
      Seq(FILE_BLOCK_START, FILE_BLOCK_LENGTH).exists(column.name.endsWith)
    case _ => false
  }

  override def isListedEarly: Boolean = true

  override def isListedIn(plan: LogicalPlan): Boolean = true

  override final def scanOf(leaf: LeafNode, conf: SQLConf): Option[PrunableScan] = leaf match {
    case FileRelation(scan, files) if recognizes(files) =>
      Some(new FilesScan(this, scan, files, conf))
    case _ => None
  }

  override final def runningScanOf(
      node: SparkPlan,
      readsBlocks: => Boolean,
      conf: SQLConf): Option[RunningScan] = node match {
    case scan: FileSourceScanExec if recognizes(scan.relation) =>
      Some(new RunningFileScan(this, scan, readsBlocks, conf)).filter(_.isPrunable)
    case _ => None
  }

  /** Returns why nothing may rule out files: neither what they hold, nor an index. */
  final def whyNoEvidence(files: HadoopFsRelation, conf: SQLConf): Option[String] = {
    def hasIndex = TableIndex.exists(
      files.location.rootPaths,
      hadoopConf(files),
      conf,
      ReadFingerprint.ofScan(files))
    if (!needsIndex || hasIndex) None
    else Some("it has no index that was built with the same options, schema and settings")
  }

  /** Returns an index of a relation's files, which has not listed them yet. */
  final def index(
      files: HadoopFsRelation,
      guard: PushdownGuard,
      preserveSplits: Boolean,
      conf: SQLConf): PrunedFileIndex = {
    val ofFiles = hadoopConf(files)
    val needed = guard.requirements
    val isTrimmed = SourceFormat.isParquet(files.fileFormat) && swapsFormat(files, conf)
    val pruner = new ListingPruner(
      tableIndex(files, ofFiles, conf),
      evaluators(files, ofFiles, conf),
      SbbfConf.limits(conf),
      LogOnce,
      if (isTrimmed) needed.copy(probed = Set.empty) else needed
    )
    new PrunedFileIndex(files.location, columns(files), pruner, guard, preserveSplits)
  }

  /**
   * Returns the relation in its own format, with options that disable those checks of parquet-mr that
   * would lose rows.
   */
  protected final def withReadPolicy(
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): HadoopFsRelation = {
    val planned = index.plannedScan(hasRuntimeFilters, isTrimmed = false)
    val policy = index.guard.decide(planned, isSafe = SbbfConf.SafeRead.get(conf))
    SparkInternals.withFiles(files, index, files.fileFormat, policy.options)
  }

  /** Returns whether settings and executors allow a format that reads only what is left of a file. */
  protected final def swapsFormat(files: HadoopFsRelation, conf: SQLConf): Boolean =
    SbbfConf.RowGroupPruning.get(conf) && ExecutorJar.isThere(files.sparkSession.sparkContext)

  protected final def hadoopConf(files: HadoopFsRelation): Configuration =
    files.sparkSession.sessionState.newHadoopConfWithOptions(files.options)
}

private[spark] object FilesFormat {

  /** Returns the index of Spark or of the table's format that lists the files of a relation. */
  def baseOf(index: FileIndex): FileIndex = index match {
    case pruned: PrunedFileIndex => pruned.base
    case other => other
  }

  /**
   * Returns a scan of a pruned relation. The catalog's statistics become those of what is left: sizes
   * from ANALYZE would hide the pruning.
   */
  def withStatistics(
      scan: LogicalRelation,
      index: PrunedFileIndex,
      pruned: HadoopFsRelation): LogicalRelation =
    scan.copy(
      relation = pruned,
      catalogTable = scan.catalogTable.map { table =>
        val known =
          for (stats <- table.stats; found <- index.selection)
            yield scaled(stats, found, index.base.sizeInBytes)
        known.fold(table)(SparkInternals.withStats(table, _))
      }
    )

  /** Drops column statistics, which no longer hold. */
  private def scaled(stats: CatalogStatistics, found: ScanPruning, all: Long): CatalogStatistics =
    if (found.sizeInBytes >= all) stats
    else
      CatalogStatistics(
        sizeInBytes = BigInt(found.sizeInBytes),
        rowCount = found.rows.map(BigInt(_)))
}
