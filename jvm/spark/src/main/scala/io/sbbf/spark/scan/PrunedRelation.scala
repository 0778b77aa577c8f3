package io.sbbf.spark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.prune.{EvidenceCache, OrcPruner}
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.pass.ListingPruner
import io.sbbf.parquet.prune.{FooterCache, IndexedPruner, ScanPruner}
import io.sbbf.parquet.result.{ScanPruning, StorageRequirements}
import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.files.{
  PrunedFileIndex,
  PrunedOrcFormat,
  PrunedParquetFormat,
  ReadFingerprint,
  ScanColumns,
  SourceFormat
}
import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.util.{ExecutorJar, LogOnce, SbbfConf}

/**
 * Makes the relation of a pruned scan from the one that Spark planned.
 *
 * @param conf the settings of the session that plans the query
 */
private[spark] final class PrunedRelation(files: HadoopFsRelation, conf: SQLConf) {

  /**
   * Returns an index that has listed what the filters of a scan leave of its files. Returns None if
   * the filters can neither prune nor make parquet-mr lose rows.
   *
   * @param scan the scan, for the history of queries
   */
  def listed(
      scan: LogicalRelation,
      filters: ScanFilters,
      preserveSplits: => Boolean): Option[PrunedFileIndex] = {
    val guard = filters.guard
    val isUseless = (!SbbfConf.SafeRead.get(conf) || guard.withholdsNothing) && !filters.canPrune
    // Spark's own format would read what is left out of a plan that preserves splits
    if (isUseless || !hasEvidence || needsIndex && preserveSplits) None
    else {
      val found = index(guard, preserveSplits)
      QueryHistory.remember(scan, found.prune(filters.ofPartitions, filters.ofData))
      Some(found)
    }
  }

  private def needsIndex: Boolean = SourceFormat.needsIndex(files.fileFormat)

  /** Returns whether something may rule out files: what they hold, or an index that the scan can use. */
  def hasEvidence: Boolean =
    !needsIndex || TableIndex.exists(
      files.location.rootPaths,
      hadoopConf,
      conf,
      ReadFingerprint.ofScan(files))

  private def hadoopConf: Configuration =
    files.sparkSession.sessionState.newHadoopConfWithOptions(files.options)

  /** Returns an index of the relation's files, which has not listed them yet. */
  def index(guard: PushdownGuard, preserveSplits: Boolean): PrunedFileIndex =
    new PrunedFileIndex(
      files.location,
      new ScanColumns(files),
      pruner(
        if (trimsParquet) guard.requirements.copy(probed = Set.empty) else guard.requirements),
      guard,
      preserveSplits)

  /**
   * Returns the relation with an index that has listed its files and, if it is in Spark's own
   * format and settings allow it, the pruned format. If the format stays, options disable those
   * checks of parquet-mr that would lose rows.
   * Spark considers all Parquet formats equal, and all ORC formats, so the optimizer notices only
   * the changed index.
   *
   * @param index an index of the relation's files
   * @param hasRuntimeFilters whether only tasks know some values of the filter
   */
  def of(index: PrunedFileIndex, hasRuntimeFilters: Boolean): HadoopFsRelation = {
    files.fileFormat match {
      case ours: PrunedParquetFormat =>
        files.copy(location = index, fileFormat = ours.of(index))(files.sparkSession)
      case _ if trimsParquet =>
        val pruned = new PrunedParquetFormat(index, index.preserveSplits, hasRuntimeFilters)
        files.copy(location = index, fileFormat = pruned)(files.sparkSession)
      case format if SourceFormat.isOrc(format) && swapsFormat =>
        val pruned = new PrunedOrcFormat(index, index.preserveSplits)
        files.copy(location = index, fileFormat = pruned)(files.sparkSession)
      // options are a part of how files are read, and those of parquet-mr do not concern these
      case _ if needsIndex => files.copy(location = index)(files.sparkSession)
      case _ =>
        val planned = index.plannedScan(hasRuntimeFilters, isTrimmed = false)
        val policy = index.guard.decide(planned, isSafe = SbbfConf.SafeRead.get(conf))
        val options = files.options ++ policy.options
        files.copy(location = index, options = options)(files.sparkSession)
    }
  }

  /**
   * Returns a scan with a pruned relation. The catalog's statistics become those of what is left:
   * sizes from ANALYZE would hide the pruning.
   */
  def scanOf(
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

  /** Returns whether tasks leave out row groups, which needs Spark's own format. */
  private def trimsParquet: Boolean =
    files.fileFormat.getClass == classOf[ParquetFileFormat] && swapsFormat

  private def swapsFormat: Boolean =
    SbbfConf.RowGroupPruning.get(conf) && ExecutorJar.isThere(files.sparkSession.sparkContext)

  private def pruner(requirements: StorageRequirements): ListingPruner = {
    val ofFiles = hadoopConf
    if (!SourceFormat.isIndexedByFile(files.fileFormat)) ofParquet(ofFiles, requirements)
    else {
      val readAs = ReadFingerprint.ofScan(files)
      new IndexedPruner(
        TableIndex.of(files.location.rootPaths, ofFiles, conf, readAs),
        if (needsIndex) None else Some(ofOrc(ofFiles)),
        LogOnce)
    }
  }

  private def ofOrc(hadoopConf: Configuration): ListingPruner =
    new OrcPruner(
      hadoopConf,
      ReadSchema(
        files.dataSchema.map(field => (field.name, field.dataType.catalogString)),
        OrcConf.FORCE_POSITIONAL_EVOLUTION.getBoolean(hadoopConf)),
      SbbfConf.limits(conf),
      EvidenceCache.shared,
      LogOnce
    )

  private def ofParquet(
      hadoopConf: Configuration,
      requirements: StorageRequirements): ListingPruner = {
    val (roots, isDelta) = (files.location.rootPaths, DeltaRelation.isDelta(files))
    val limits = SbbfConf.limits(conf)
    new ScanPruner(
      hadoopConf,
      FileStore.hadoop(hadoopConf),
      limits,
      FooterCache.shared,
      requirements,
      LogOnce,
      // Delta's log may have other times than the store; its files are never replaced
      checksVersions = !isDelta,
      index =
        if (isDelta) TableIndex.ofLake(roots.head, hadoopConf, conf)
        else TableIndex.of(roots, hadoopConf, conf),
      tasks = new FootersJob(
        files.sparkSession.sparkContext,
        hadoopConf,
        SbbfConf.DistributedFiles.get(conf),
        limits.cacheBytes)
    )
  }
}
