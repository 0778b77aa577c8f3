package io.sbbf.spark.scan

import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.prune.{FooterCache, PlanningLimits, ScanPruner}
import io.sbbf.parquet.result.StorageRequirements
import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.util.{ExecutorJar, LogOnce, SbbfConf}

/**
 * Makes the relation of a pruned scan from the one that Spark planned.
 *
 * @param conf the settings of the session that plans the query
 */
private[spark] final class PrunedRelation(files: HadoopFsRelation, conf: SQLConf) {

  /** Returns an index of the relation's files, which has not listed them yet. */
  def index(guard: PushdownGuard, preserveSplits: Boolean): PrunedFileIndex =
    new PrunedFileIndex(
      files.location,
      new ScanColumns(files),
      pruner(guard.requirements),
      guard,
      preserveSplits)

  /**
   * Returns the relation with an index that has listed its files and, if it is in Spark's own
   * format and settings allow it, the pruned format. If the format stays, options disable those
   * checks of parquet-mr that would lose rows.
   * Spark considers all Parquet formats equal, so the optimizer notices only the changed index.
   *
   * @param index an index of the relation's files
   * @param hasRuntimeFilters whether only tasks know some values of the filter
   */
  def of(index: PrunedFileIndex, hasRuntimeFilters: Boolean): HadoopFsRelation = {
    val isSafe = SbbfConf.SafeRead.get(conf)
    lazy val safeOptions =
      index.guard.decide(index.plannedScan(hasRuntimeFilters), isSafe).options
    def hasJar = ExecutorJar.isThere(files.sparkSession.sparkContext)
    files.fileFormat match {
      case ours: PrunedParquetFormat =>
        files.copy(location = index, fileFormat = ours.of(index))(files.sparkSession)
      case sparks
          if sparks.getClass == classOf[ParquetFileFormat] &&
            SbbfConf.RowGroupPruning.get(conf) && hasJar =>
        val format = new PrunedParquetFormat(index, index.preserveSplits, hasRuntimeFilters)
        files.copy(location = index, fileFormat = format)(files.sparkSession)
      case _ =>
        files.copy(location = index, options = files.options ++ safeOptions)(files.sparkSession)
    }
  }

  private def pruner(requirements: StorageRequirements): ScanPruner =
    new ScanPruner(
      files.sparkSession.sessionState.newHadoopConfWithOptions(files.options),
      PlanningLimits(
        threads = SbbfConf.Threads.get(conf),
        sampleFiles = SbbfConf.SampleFiles.get(conf),
        tailBytes = SbbfConf.TailBytes.get(conf).toInt,
        cacheBytes = SbbfConf.CacheBytes.get(conf)
      ),
      FooterCache.shared,
      requirements,
      LogOnce
    )
}
