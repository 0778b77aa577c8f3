package io.sbbf.parquet.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.pass.{BoundedPool, FileEvaluator, FileTasks, PruneRequest, PruningWarnings}
import io.sbbf.parquet.result.{FilePruning, TaskReads}

/**
 * Evaluates predicates on Parquet files.
 *
 * @param store opens the files
 * @param checksVersions whether to check before later reads of a cached file that it was not
 *   replaced. Needs files with the modification times of their store.
 * @param tasks the cluster that reads files if they are many
 */
private[sbbf] final class ParquetEvaluators(
    hadoopConf: Configuration,
    store: FileStore,
    cache: FooterCache,
    warnings: PruningWarnings,
    checksVersions: Boolean = true,
    tasks: FileTasks = FileTasks.Off)
    extends FileEvaluators {

  override def useRowGroupHits: Boolean = true

  override def of(
      files: IndexedSeq[FileStatus],
      request: PruneRequest,
      hitsOf: Int => FileHits,
      remembers: Boolean): FileEvaluator = {
    val pass = cache.pass(request.limits.cacheBytes)
    val pruner = new FilePruner(hadoopConf, request, pass, warnings, checksVersions)
    new ParquetFiles(files, store, pruner, hitsOf, remembers, tasks, PruneTask(request))
  }
}

/**
 * Evaluates one predicate on the Parquet files of one listing.
 *
 * @param task does on a cluster what `pruner` does here
 */
private[prune] final class ParquetFiles(
    files: IndexedSeq[FileStatus],
    store: FileStore,
    pruner: FilePruner,
    hitsOf: Int => FileHits,
    remembers: Boolean,
    tasks: FileTasks,
    task: PruneTask)
    extends FileEvaluator {

  override def filesDeclined: Int = pruner.filesDeclined

  override def fromMemory(): Array[FilePruning] = pruner.fromMemory(files, hitsOf, remembers)

  override def fromStore(some: IndexedSeq[Int]): Int => FilePruning = {
    val sources = store.sources(some.map(files))
    k => pruner.fromStore(files(some(k)), sources(k), hitsOf(some(k)))
  }

  /**
   * Evaluates files that the index does not know. What tasks have read enters the cache as if it
   * were read here.
   */
  override def fromTasks(some: IndexedSeq[Int], isTooLong: (Int, Int) => Boolean)(
      found: (Int, FilePruning) => Unit): TaskReads = {
    val unread = some.filter(!hitsOf(_).isKnown)
    if (pruner.usesKeys || !tasks.canRead(unread.size) || !task.canBeSent) TaskReads.Nothing
    else {
      var read = 0
      val versions = unread.map(i => FileVersion.of(files(i)))
      val checks = pruner.needsVersions(unread.iterator.map(files))
      // by the driver's clock, which other reads for the cache have as well
      val begun = System.currentTimeMillis
      tasks.run(versions, task.copy(checksVersions = checks), isTooLong(_, unread.size)) {
        (first, results) =>
          val numbers = unread.slice(first, first + results.size)
          val outcomes = BoundedPool.map(numbers.indices, task.request.limits.threads) { k =>
            results(k).map(pruner.fromTask(files(numbers(k)), _, begun, checks)).orNull
          }
          numbers.indices.filter(outcomes(_) != null).foreach { k =>
            read += 1
            found(numbers(k), outcomes(k))
          }
      }
      TaskReads(read, unread.size - read)
    }
  }
}
