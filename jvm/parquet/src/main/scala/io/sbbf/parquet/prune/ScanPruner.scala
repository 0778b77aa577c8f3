package io.sbbf.parquet.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.pass.{FileTasks, FilesPass, ListingPruner, PlanningLimits, PruningWarnings}
import io.sbbf.parquet.result.{PrunedFiles, ScanPruning, StorageRequirements}

/**
 * Finds the row groups of Parquet files that might hold a row that matches a predicate.
 *
 * @param store opens the files
 * @param checksVersions whether to check before later reads of a cached file that it was not
 *   replaced. Needs files with the modification times of their store.
 * @param index the index that is searched before files are opened
 * @param tasks the cluster that reads files if they are many
 */
private[sbbf] final class ScanPruner(
    hadoopConf: Configuration,
    store: FileStore,
    limits: PlanningLimits,
    cache: FooterCache,
    requirements: StorageRequirements,
    warnings: PruningWarnings,
    checksVersions: Boolean = true,
    index: RowGroupIndex = RowGroupIndex.Empty,
    tasks: FileTasks = FileTasks.Off)
    extends ListingPruner(warnings) {

  override protected def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean): PrunedFiles = {
    val encodings = new LiteralEncodings(lookup.reader)
    val pruner =
      new FilePruner(
        hadoopConf,
        predicate,
        lookup,
        encodings,
        limits,
        cache.pass(limits.cacheBytes),
        requirements,
        warnings,
        checksVersions)
    val task = new PruneTask(predicate, lookup, limits, requirements)
    searched(index, files, predicate, lookup, encodings) match {
      case None if !predicate.canPruneByFiles => keepAll(files, ScanPruning.NoUsableLeaf)
      case None =>
        pruneByFiles(files, pruner, task, _ => FileHits.Nothing, sampleFirst, remembers = true)
      case Some(hits) =>
        new IndexedFiles(files, hits, predicate, predicate.canPruneByFiles).prunedWith {
          (numbers, left) =>
            def hitsOf(k: Int) = new FileHits(hits, numbers(k))
            // the next query leaves other files, unless the index decides on none
            pruneByFiles(left, pruner, task, hitsOf, sampleFirst, remembers = left eq files)
        }
    }
  }

  /**
   * @param hitsOf returns what the index knows about a file, by its number
   * @param remembers whether the next queries are likely to prune the same files
   */
  private def pruneByFiles(
      files: IndexedSeq[FileStatus],
      pruner: FilePruner,
      task: PruneTask,
      hitsOf: Int => FileHits,
      sampleFirst: Boolean,
      remembers: Boolean): PrunedFiles =
    new FilesPass(files, limits, warnings).run(
      new ParquetFiles(files, store, pruner, hitsOf, remembers, tasks, task, limits.threads),
      sampleFirst)
}
