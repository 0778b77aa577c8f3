package io.sbbf.parquet.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning, StorageRequirements}

/**
 * Finds the row groups that might hold a row that matches a predicate. Thread-safe.
 *
 * The contents of a file never make it fail. It keeps all of a file that it cannot read or
 * interpret, and reports the reason.
 *
 * @param store opens the files
 * @param checksVersions whether to check before later reads of a cached file that it was not
 *   replaced. Needs files with the modification times of their store.
 */
private[sbbf] final class ScanPruner(
    hadoopConf: Configuration,
    store: FileStore,
    limits: PlanningLimits,
    cache: FooterCache,
    requirements: StorageRequirements,
    warnings: PruningWarnings,
    checksVersions: Boolean = true) {
  import ScanPruning.{NoUsableLeaf, NotChecked}

  /**
   * Returns an outcome for each of `files`, in their order. It evaluates a sample of the files
   * first. If the sample shows too little benefit, it keeps the other files without reading them.
   *
   * @param sampleFirst whether the sample also decides on files that are cached, because
   *   evaluating the predicate takes long
   * @throws InterruptedException if the query is cancelled
   */
  def prune(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean = false): PrunedFiles =
    if (predicate.canPrune) pruneUsable(files, predicate, lookup, sampleFirst)
    else keepAll(files, NoUsableLeaf)

  /**
   * Keeps all of `files` after an error that does not concern a single file. The query may still
   * succeed without pruning.
   */
  def giveUp(files: IndexedSeq[FileStatus], error: Throwable): PrunedFiles = {
    val reason = s"pruning failed: ${error.getClass.getName}"
    warnings.once(
      reason,
      s"cannot prune a scan, so it reads all of its ${files.size} files",
      error)
    PrunedFiles(files.map(f => FilePruning.unreadable(f.getLen, reason)), stoppedEarly = false)
  }

  private def keepAll(files: IndexedSeq[FileStatus], reason: String): PrunedFiles =
    PrunedFiles(files.map(f => FilePruning.keepAll(f.getLen, reason)), stoppedEarly = false)

  private def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean): PrunedFiles = {
    val pass = cache.pass(limits.cacheBytes)
    val pruner =
      new FilePruner(
        hadoopConf,
        predicate,
        lookup,
        limits,
        pass,
        requirements,
        warnings,
        checksVersions)
    val outcomes = new Array[FilePruning](files.size)
    // Evaluating cached evidence costs less than handing the file to another thread.
    def evaluateCached(): Unit = {
      val known = pruner.fromMemory(files)
      files.indices.foreach(i => if (outcomes(i) == null) outcomes(i) = known(i))
    }
    def read(some: IndexedSeq[Int]): Unit = {
      val unread = some.filter(outcomes(_) == null)
      val sources = store.sources(unread.map(files))
      val fresh = BoundedPool.map(unread.indices, limits.threads)(k =>
        pruner.fromStore(files(unread(k)), sources(k)))
      unread.indices.foreach(k => outcomes(unread(k)) = fresh(k))
    }
    if (!sampleFirst) evaluateCached()
    val sample =
      if (limits.sampleFiles == 0 || !outcomes.contains(null)) IndexedSeq.empty
      else Sample.of(files, limits.sampleFiles)
    read(sample)
    val stops = sample.nonEmpty && outcomes.contains(null) && !prunes(sample.map(outcomes(_)))
    if (!stops) {
      if (sampleFirst) evaluateCached()
      read(files.indices)
    }
    PrunedFiles(
      files.indices.map { i =>
        if (outcomes(i) != null) outcomes(i)
        else FilePruning.keepAll(files(i).getLen, NotChecked)
      },
      stoppedEarly = stops,
      filesDeclined = pass.filesDeclined
    )
  }

  /**
   * Whether the sample justifies reading all files: at least one row group in fifty is refuted.
   */
  private def prunes(sample: Seq[FilePruning]): Boolean = {
    val refuted = sample.map(o => o.rowGroups - o.kept).sum
    refuted > 0 && refuted * 50 >= sample.map(_.rowGroups).sum
  }
}
