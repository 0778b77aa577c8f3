package io.sbbf.parquet.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.{IndexHits, RowGroupIndex}
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, Interruption, RecoverableError}
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
 * @param index the index that is searched before files are opened
 */
private[sbbf] final class ScanPruner(
    hadoopConf: Configuration,
    store: FileStore,
    limits: PlanningLimits,
    cache: FooterCache,
    requirements: StorageRequirements,
    warnings: PruningWarnings,
    checksVersions: Boolean = true,
    index: RowGroupIndex = RowGroupIndex.Empty) {
  import ScanPruner.FilesOfThread
  import ScanPruning.{NoUsableLeaf, NotChecked, TooSlow}

  /**
   * Returns an outcome for each of `files`, in their order. It evaluates a sample of the files
   * first. If the sample shows too little benefit, it keeps the other files without reading them. So
   * it does with files that would take longer than the limit.
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
    if (!predicate.canPrune) keepAll(files, NoUsableLeaf)
    else {
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
      searched(files, predicate, lookup, encodings) match {
        case None =>
          pruneByFiles(files, pruner, _ => FileHits.Nothing, sampleFirst, remembers = true)
        case Some(hits) => pruneByIndex(files, predicate, hits, pruner, sampleFirst)
      }
    }

  private def searched(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      encodings: LiteralEncodings): Option[IndexHits] =
    try
      if (predicate.leaves.isEmpty) None
      else index.search(files, predicate, lookup, encodings)
    catch {
      case RecoverableError(e) if !Interruption.is(e) =>
        warnings.once(
          s"index: ${e.getClass.getName}",
          s"cannot search the index of a table: ${e.getClass.getName}",
          e)
        None
    }

  /** Opens only files that the index does not refute. */
  private def pruneByIndex(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      hits: IndexHits,
      pruner: FilePruner,
      sampleFirst: Boolean): PrunedFiles = {
    val outcomes = new IndexedFiles(hits, predicate, files.size).outcomes()
    val left = files.indices.filter(outcomes(_) == null)
    def hitsOf(k: Int) = new FileHits(hits, left(k))
    // some of the files are others in the next query
    val isAll = left.size == files.size
    val some = if (isAll) files else left.map(files)
    val rest = pruneByFiles(some, pruner, hitsOf, sampleFirst, remembers = isAll)
    left.indices.foreach(k => outcomes(left(k)) = rest.outcomes(k))
    rest.copy(outcomes = outcomes.toIndexedSeq, index = hits.reads)
  }

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

  /**
   * @param hitsOf returns what the index knows about a file, by its number
   * @param remembers whether the next queries are likely to prune the same files
   */
  private def pruneByFiles(
      files: IndexedSeq[FileStatus],
      pruner: FilePruner,
      hitsOf: Int => FileHits,
      sampleFirst: Boolean,
      remembers: Boolean): PrunedFiles = {
    val outcomes = new Array[FilePruning](files.size)
    // Evaluating cached evidence costs less than handing the file to another thread.
    def evaluateCached(): Unit = {
      val known = pruner.fromMemory(files, hitsOf, remembers)
      files.indices.foreach(i => if (outcomes(i) == null) outcomes(i) = known(i))
    }
    def read(some: IndexedSeq[Int]): Unit = {
      val unread = some.filter(outcomes(_) == null)
      val sources = store.sources(unread.map(files))
      val fresh = BoundedPool.map(unread.indices, limits.threads)(k =>
        pruner.fromStore(files(unread(k)), sources(k), hitsOf(unread(k))))
      unread.indices.foreach(k => outcomes(unread(k)) = fresh(k))
    }
    if (!sampleFirst) evaluateCached()
    val sample =
      if (limits.sampleFiles == 0 || !outcomes.contains(null)) IndexedSeq.empty
      else Sample.of(files, limits.sampleFiles)
    read(sample)
    val isUseless = sample.nonEmpty && outcomes.contains(null) && !prunes(sample.map(outcomes(_)))
    if (!isUseless) {
      if (sampleFirst) evaluateCached()
      readWithin(files.indices.filter(outcomes(_) == null))(read)
    }
    PrunedFiles(
      files.indices.map { i =>
        if (outcomes(i) != null) outcomes(i)
        else FilePruning.keepAll(files(i).getLen, if (isUseless) NotChecked else TooSlow)
      },
      stoppedEarly = outcomes.contains(null),
      filesDeclined = pruner.filesDeclined
    )
  }

  /** Reads files in batches; stops when their speed shows that all would exceed the limit. */
  private def readWithin(left: IndexedSeq[Int])(read: IndexedSeq[Int] => Unit): Unit =
    if (limits.seconds == 0) read(left)
    else {
      val started = System.nanoTime
      var done = 0
      def isTooSlow = {
        val seconds = (System.nanoTime - started) / 1e9
        // the first files also pay for connections and for cold code
        seconds > limits.seconds / 10.0 && seconds / done * left.size > limits.seconds
      }
      while (done < left.size && !isTooSlow) {
        val some = left.slice(done, done + FilesOfThread * limits.threads)
        read(some)
        done += some.size
      }
      if (done < left.size)
        warnings.once(
          TooSlow,
          s"${left.size - done} files of a scan were $TooSlow: create an index, or raise the setting")
    }

  /**
   * Whether the sample justifies reading all files: at least one row group in fifty is refuted.
   */
  private def prunes(sample: Seq[FilePruning]): Boolean = {
    val refuted = sample.map(o => o.rowGroups - o.kept).sum
    refuted > 0 && refuted * 50 >= sample.map(_.rowGroups).sum
  }
}

private object ScanPruner {

  /** The time is checked each time after each thread has read so many files. */
  private final val FilesOfThread = 16
}
