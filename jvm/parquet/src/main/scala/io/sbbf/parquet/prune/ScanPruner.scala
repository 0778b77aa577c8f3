package io.sbbf.parquet.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.ColumnLookup

/**
 * Finds which row groups of which files might hold a row that matches a predicate. Thread-safe.
 *
 * Never fails for what a file holds: a file that cannot be read or understood is kept whole, with the reason.
 */
private[sbbf] final class ScanPruner(
    hadoopConf: Configuration,
    limits: PlanningLimits,
    cache: FooterCache,
    requirements: StorageRequirements,
    warnings: PruningWarnings) {
  import ScanPruner._

  /**
   * One outcome for each of `files`, in their order. A sample is asked first; where it prunes next to nothing
   * the others are kept without being asked. Throws InterruptedException when the query is cancelled.
   */
  def prune(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup): PrunedFiles =
    if (predicate.canPrune) pruneUsable(files, predicate, lookup)
    else keepAll(files, NoUsableLeaf)

  /** All of `files`, after trouble that is not of one file; stock Spark may well answer. */
  def giveUp(files: IndexedSeq[FileStatus], trouble: Throwable): PrunedFiles = {
    val reason = s"pruning failed: ${trouble.getClass.getName}"
    warnings.once(reason, s"a scan of ${files.size} files is planned whole", trouble)
    PrunedFiles(files.map(f => FilePruning.unreadable(f.getLen, reason)), stoppedEarly = false)
  }

  private def keepAll(files: IndexedSeq[FileStatus], reason: String): PrunedFiles =
    PrunedFiles(files.map(f => FilePruning.keepAll(f.getLen, reason)), stoppedEarly = false)

  private def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup): PrunedFiles = {
    val asker =
      new FilePruner(hadoopConf, predicate, lookup, limits, cache, requirements, warnings)
    // what is remembered costs less to ask than to hand to another thread
    val outcomes = Array.tabulate(files.size)(i => asker.fromMemory(files(i)).orNull)
    def read(some: IndexedSeq[Int]): Unit = {
      val unread = some.filter(outcomes(_) == null)
      asker.open(unread.map(files))
      val fresh = BoundedPool.map(unread, limits.threads)(i => asker.fromStore(files(i)))
      unread.indices.foreach(k => outcomes(unread(k)) = fresh(k))
    }
    val sample =
      if (limits.sampleFiles == 0 || !outcomes.contains(null)) IndexedSeq.empty
      else Sample.of(files, limits.sampleFiles)
    read(sample)
    val stops = sample.nonEmpty && outcomes.contains(null) && !prunes(sample.map(outcomes(_)))
    if (!stops) read(files.indices)
    PrunedFiles(
      files.indices.map(i =>
        Option(outcomes(i)).getOrElse(FilePruning.keepAll(files(i).getLen, NotAsked))),
      stoppedEarly = stops)
  }

  /** Whether asking all files can be worth while: one row group in fifty, at the least, is refuted. */
  private def prunes(sample: Seq[FilePruning]): Boolean = {
    val refuted = sample.map(o => o.rowGroups - o.kept).sum
    refuted > 0 && refuted * 50 >= sample.map(_.rowGroups).sum
  }
}

private[sbbf] object ScanPruner {
  val NoUsableLeaf = "no part of the predicate that evidence could answer"
  val NotAsked = "not asked: a sample of the files gave nothing"
}
