package io.sbbf.parquet.prune

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.input.{ByteSource, FileBytes, FileStore, RecordingSource}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, FileVersion}
import io.sbbf.parquet.pass.{BoundedPool, FileTasks, PlanningLimits, PruningWarnings}
import io.sbbf.parquet.result.{FileStorage, StorageRequirements}

/**
 * Evaluates one predicate on files in a task, by the code that does so on the driver. Its results
 * also hold what was read of a file, as long as there is space. The result of a file that could not
 * be read is None: the driver may be able to read it, and reports why not.
 *
 * @param limits those of the driver's pass
 */
private[prune] final class PruneTask(
    predicate: RowGroupPredicate,
    lookup: ColumnLookup,
    limits: PlanningLimits,
    requirements: StorageRequirements)
    extends FileTasks.Work[Option[TaskOutcome]] {
  import PruneTask._

  override def apply(
      files: IndexedSeq[FileVersion],
      conf: Configuration,
      maxBytes: Long): IndexedSeq[Option[TaskOutcome]] = {
    val statuses = files.map(statusOf)
    val cache = new FooterCache().pass(maxBytes)
    val pruner = new FilePruner(
      conf,
      predicate,
      lookup,
      new LiteralEncodings(lookup.reader),
      limits.copy(threads = Threads, tailBytes = FileBytes.MinTail, cacheBytes = maxBytes),
      cache,
      requirements,
      NoWarnings,
      checksVersions = false
    )
    val bytesLeft = new AtomicLong(maxBytes)

    def read(file: FileStatus, store: ByteSource): Option[TaskOutcome] = {
      val source = new RecordingSource(store, file, limits.tailBytes)
      try {
        val outcome = pruner.fromStore(file, source, FileHits.Nothing)
        // a cache without space reads large filters in part
        def hasSpace =
          !cache.isExhausted && bytesLeft.addAndGet(-source.recorded.size) >= 0
        if (outcome.storage == FileStorage.Unreadable) None
        else
          Some(
            TaskOutcome(
              outcome.copy(bytesRead = source.bytesRead),
              if (hasSpace) Some(source.recorded) else None))
      } finally source.close()
    }
    val sources = FileStore.hadoop(conf).sources(statuses)
    BoundedPool
      .map(files.indices, Threads)(i => read(statuses(i), sources(i)))
      .toIndexedSeq
  }
}

private[prune] object PruneTask {

  /** A task waits for the store most of the time. More threads of many tasks could overload it. */
  private final val Threads = 4

  private def statusOf(file: FileVersion): FileStatus =
    new FileStatus(file.length, false, 1, 0, file.modificationTime, file.path)

  /** The driver reads again what a task could not read, and warns. */
  private object NoWarnings extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }
}
