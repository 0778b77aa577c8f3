package io.sbbf.parquet.prune

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, In, NotIn, Test}
import io.sbbf.parquet.input.{ByteSource, FileStore, RecordingSource}
import io.sbbf.parquet.model.{FileVersion, RecoverableError}
import io.sbbf.parquet.pass.{BoundedPool, FileTasks, PruneRequest, PruningWarnings}
import io.sbbf.parquet.result.FileStorage

/**
 * Evaluates one predicate on files in a task, by the code that does so on the driver. Its results
 * also hold what was read of a file, as long as there is space. The result of a file that could not
 * be read is None: the driver may be able to read it, and reports why not.
 *
 * @param checksVersions whether to check that the store still has the listed version of each file,
 *   which takes a request for each
 */
private[prune] final case class PruneTask(request: PruneRequest, checksVersions: Boolean = false)
    extends FileTasks.Work[Option[TaskOutcome]] {
  import PruneTask._
  import request.limits

  private def threads: Int = math.min(MostThreads, limits.threads)

  /** Returns whether the predicate is small enough to be copied for each task. */
  def canBeSent: Boolean =
    request.predicate.leaves.iterator.map(leaf => numValues(leaf.test)).sum <= MostValues

  override def apply(
      files: IndexedSeq[FileVersion],
      conf: Configuration,
      maxBytes: Long): IndexedSeq[Option[TaskOutcome]] = {
    val statuses = files.map(statusOf)
    val cache = new FooterCache().pass(maxBytes)
    val pruner = new FilePruner(
      conf,
      request.copy(limits = limits.copy(threads = threads, cacheBytes = maxBytes)),
      cache,
      NoWarnings,
      checksVersions = false
    )
    val bytesLeft = new AtomicLong(maxBytes)

    def isReserved(bytes: Long): Boolean = {
      val fits = bytesLeft.addAndGet(-bytes) >= 0
      if (!fits) bytesLeft.addAndGet(bytes)
      fits
    }

    def read(i: Int, store: ByteSource): Option[TaskOutcome] = {
      val file = statuses(i)
      val source = new RecordingSource(store, file)
      if (checksVersions) source.expect(files(i))
      try {
        val outcome = pruner.fromStore(file, source, FileHits.Nothing)
        // a cache without space reads large filters in part
        def hasSpace = !cache.isExhausted && isReserved(source.recorded.size)
        if (outcome.storage == FileStorage.Unreadable) None
        else
          Some(
            TaskOutcome(
              outcome.copy(bytesRead = source.bytesRead),
              if (hasSpace) Some(source.recorded) else None))
      } finally
        try source.close()
        catch { case RecoverableError(_) | _: IOException => () } // what was read is complete
    }
    val sources = FileStore.hadoop(conf).sources(statuses)
    BoundedPool.map(files.indices, threads)(i => read(i, sources(i))).toIndexedSeq
  }
}

private[prune] object PruneTask {

  /** A task waits for the store most of the time. More threads of many tasks could overload it. */
  private final val MostThreads = 4

  /** Each task has its own copy of the predicate, which takes longer than its reads if it is larger. */
  private final val MostValues = 100000

  private def numValues(test: Test): Int = test match {
    case In(values) => values.size
    case NotIn(values) => values.size
    case AllOf(tests) => tests.map(numValues).sum
    case _ => 1
  }

  private def statusOf(file: FileVersion): FileStatus =
    new FileStatus(file.length, false, 1, 0, file.modificationTime, file.path)

  /** The driver reads again what a task could not read, and warns. */
  private object NoWarnings extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }
}
