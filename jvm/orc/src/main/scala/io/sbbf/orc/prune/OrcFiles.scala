package io.sbbf.orc.prune

import java.util.{Collections, IdentityHashMap}

import scala.util.control.ControlThrowable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem}
import org.apache.orc.TypeDescription

import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.file.{CountedReads, OrcFileReader}
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.{FileVersion, Interruption, RecoverableError}
import io.sbbf.parquet.pass.{FileEvaluator, PruneRequest, PruningWarnings}
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.{FilePruning, TaskReads}

/**
 * Evaluates one predicate on the ORC files of one listing. Thread-safe.
 *
 * @param settings the settings of [[OrcFileReader.settings]]
 * @param table the columns that the scan reads
 */
private[prune] final class OrcFiles(
    files: IndexedSeq[FileStatus],
    request: PruneRequest,
    table: ReadSchema,
    settings: Configuration,
    cache: FooterCache#Pass,
    warnings: PruningWarnings)
    extends FileEvaluator {
  import OrcFiles._

  /** The most bytes that are kept of one file: the evidence of all threads has to fit into the cache. */
  private val mostRetained = request.limits.cacheBytes / request.limits.threads

  // files with equal schemas share one
  private val bindings =
    Collections.synchronizedMap(new IdentityHashMap[TypeDescription, SchemaBinding])

  override def filesDeclined: Int = cache.filesDeclined

  override def fromMemory(): Array[FilePruning] =
    files.iterator.map { file =>
      cache
        .get[StripeEvidence](FileVersion.of(file))
        .map { known =>
          try evaluate(file, known, () => throw NotInMemory)
          catch { case NotInMemory => null }
        }
        .orNull
    }.toArray

  /** Tasks read Parquet files only. */
  override def fromTasks(some: IndexedSeq[Int], isTooLong: (Int, Int) => Boolean)(
      found: (Int, FilePruning) => Unit): TaskReads = TaskReads.Nothing

  override def fromStore(some: IndexedSeq[Int]): Int => FilePruning = {
    val systems = FileStore.fileSystems(some.map(files), settings)
    k => read(files(some(k)), systems(files(some(k)).getPath))
  }

  /** Returns the outcome; it keeps the whole file if the file cannot be read. */
  private def read(file: FileStatus, fs: FileSystem): FilePruning = {
    val reads = new CountedReads
    val outcome =
      try readAndEvaluate(file, reads.of(fs))
      catch {
        case RecoverableError.OfFile(e)
            if !isCancelled(e) && !Thread.currentThread.isInterrupted =>
          val reason = "unreadable file"
          // a message of ORC's library may hold values
          warnings.once(
            s"ORC: $reason",
            s"cannot prune ${file.getPath}, so the scan reads all of it: " +
              s"$reason (${e.getClass.getSimpleName})")
          FilePruning.unreadable(file.getLen, reason)
      }
    outcome.copy(bytesRead = reads.bytes, opens = reads.opens)
  }

  private def readAndEvaluate(file: FileStatus, fs: FileSystem): FilePruning = {
    val version = FileVersion.of(file)
    val readAt = System.currentTimeMillis
    val reader = OrcFileReader.open(fs, file.getPath, file.getLen, settings)
    try {
      // a file that was replaced since has another tail
      val known = cache.get[StripeEvidence](version).filter(_.tail.isSameAs(reader.tail))
      val evidence = known.getOrElse(new StripeEvidence(reader.tail, mostRetained))
      try evaluate(file, evidence, () => reader)
      finally
        if (known.isDefined) cache.settle(version) else cache.put(version, evidence, readAt)
    } finally reader.close()
  }

  private def evaluate(
      file: FileStatus,
      evidence: StripeEvidence,
      open: () => OrcFileReader): FilePruning =
    evidence.tail.unusable match {
      case Some(reason) => FilePruning.keepAll(file.getLen, reason)
      case None =>
        val binding = bindings.computeIfAbsent(
          evidence.tail.schema,
          schema => new SchemaBinding(request.predicate, schema, table, request.lookup))
        new StripeEvaluator(binding, evidence, open).outcome(file.getLen)
    }
}

private object OrcFiles {

  /** Signals that the outcome needs something that is not in memory. */
  private object NotInMemory extends ControlThrowable

  /** ORC's library wraps what interrupts a read. */
  private def isCancelled(e: Throwable): Boolean =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).exists(Interruption.is)
}
