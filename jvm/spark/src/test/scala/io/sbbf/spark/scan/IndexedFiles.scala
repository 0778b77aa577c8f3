package io.sbbf.spark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, PartitionDirectory}

import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.pass.PlanningLimits
import io.sbbf.parquet.prune.{FooterCache, ListingPruner, ParquetEvaluators}
import io.sbbf.spark.files.{PrunedFileIndex, ScanColumns}
import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.read.RowGroupRanges
import io.sbbf.spark.util.LogOnce

/** Builds indexes without a planner, and reads what they list. */
private[scan] object IndexedFiles {
  private val limits =
    PlanningLimits(threads = 1, sampleFiles = 0, cacheBytes = 0)

  def index(files: HadoopFsRelation, preserveSplits: Boolean = false): PrunedFileIndex = {
    val (conf, cache) = (new Configuration(false), new FooterCache)
    val store = FileStore.hadoop(conf)
    val evaluators = new ParquetEvaluators(conf, store, cache, LogOnce)
    val pruner = new ListingPruner(RowGroupIndex.Empty, Some(evaluators), limits, LogOnce)
    val guard = PushdownGuard(Nil, files.dataSchema, false, false, mayPushMore = false)
    new PrunedFileIndex(files.location, new ScanColumns(files), pruner, guard, preserveSplits)
  }

  /**
   * Returns the files by partition and number, such as "1/0", with the number of their ranges.
   * Fails for a directory without files.
   */
  def listed(directories: Seq[PartitionDirectory]): Seq[(String, Option[Int])] = {
    assert(directories.forall(_.files.nonEmpty))
    val files = for (directory <- directories; file <- directory.files) yield {
      val ranges = file.metadata.get(RowGroupRanges.Key).map(_.asInstanceOf[Array[Long]])
      val name = s"${directory.values.getInt(0)}/${file.getPath.getName.charAt(9)}"
      name -> ranges.map(_.length / 2)
    }
    files.sortBy(_._1)
  }
}
