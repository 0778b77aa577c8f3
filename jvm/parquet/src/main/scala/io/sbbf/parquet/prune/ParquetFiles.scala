package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.pass.{BoundedPool, FileEvaluator, FileTasks}
import io.sbbf.parquet.result.{FilePruning, TaskReads}

/**
 * Evaluates one predicate on the Parquet files of one listing.
 *
 * @param hitsOf returns what an index knows about a file, by its number
 * @param remembers whether the next queries are likely to prune the same files
 * @param task does on a cluster what `pruner` does here
 */
private[prune] final class ParquetFiles(
    files: IndexedSeq[FileStatus],
    store: FileStore,
    pruner: FilePruner,
    hitsOf: Int => FileHits,
    remembers: Boolean,
    tasks: FileTasks,
    task: PruneTask,
    threads: Int)
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
          val outcomes = BoundedPool.map(numbers.indices, threads) { k =>
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
