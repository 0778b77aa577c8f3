package io.sbbf.spark.session

import java.net.URI
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path, RawLocalFileSystem}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.StructType

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.{ColumnLookup, RecoverableError}
import io.sbbf.parquet.pass.{BoundedPool, PlanningLimits, PruneRequest}
import io.sbbf.parquet.prune.RowGroupEvaluator
import io.sbbf.parquet.result.FilePruning
import io.sbbf.spark.pushdown.PushdownGuard

/**
 * Prunes a small bundled file in the background, once in a JVM, after the session has started.
 * The first query then does not wait until the JVM has loaded and linked some 400 classes.
 *
 * Guaranteed: the warm-up neither reads nor changes a session, and shares no cache and no file
 * system with one. A failure is logged and has no other effect. The warm-up evaluates no Catalyst
 * expression, because the session initializes Catalyst's classes at the same time. Two threads
 * that initialize the same classes in different orders can wait for each other.
 */
private[spark] object WarmUp extends Logging {
  private val isStarted = new AtomicBoolean
  private val Limits =
    PlanningLimits(threads = 1, sampleFiles = 0, cacheBytes = 0)

  /** Starts the warm-up, unless it was started before, and returns at once. */
  def start(): Unit = if (isStarted.compareAndSet(false, true))
    try {
      val thread = new Thread(() => run(), "sbbf-warm-up")
      thread.setDaemon(true)
      thread.setContextClassLoader(getClass.getClassLoader)
      thread.start()
    } catch {
      case e: OutOfMemoryError => logDebug("the warm-up did not start: no thread is available", e)
    }

  private def run(): Unit =
    try {
      prune()
      ()
    } catch {
      case RecoverableError(e) =>
        logDebug("the warm-up failed: the first query loads the classes", e)
    }

  /** Returns what lookups of a number and of a text find in the file, which contains neither. */
  private[spark] def prune(): Seq[FilePruning] = {
    val local = Files.createTempFile("sbbf-warm-up", ".parquet")
    local.toFile.deleteOnExit()
    try {
      Files.write(local, contents())
      // a new file system: Hadoop's cached ones serve sessions, with the first session's settings
      val store = new RawLocalFileSystem
      store.initialize(URI.create("file:///"), new Configuration(false))
      val file = store.getFileStatus(new Path(local.toUri))
      val lookups = IndexedSeq(
        Leaf(Seq("number"), In(Seq(Value.IntegerLiteral(1, 64)))),
        Leaf(Seq("text"), In(Seq(Value.Bytes("1".getBytes, text = true)))))
      BoundedPool.map(lookups, parallelism = 1)(outcome(store, file, _)).toSeq
    } finally {
      Files.deleteIfExists(local)
      ()
    }
  }

  private def outcome(
      store: FileSystem,
      file: FileStatus,
      predicate: RowGroupPredicate): FilePruning = {
    val bytes = new FileBytes(store, file.getPath, file.getLen)
    try {
      val evidence = new FileEvidence(FooterReader.read(bytes))
      val lookup = ColumnLookup(caseSensitive = false)
      val guard = PushdownGuard(Nil, new StructType, byFieldId = false, caseSensitive = false)
      val request = PruneRequest(predicate, lookup, Limits, guard.requirements)
      new RowGroupEvaluator(request, evidence, () => bytes).outcome(file.getLen)
    } finally bytes.close()
  }

  /**
   * Returns the bundled file, made by tests/support/warm_up_file.py: whole numbers with bounds
   * and filters, and dictionary-encoded texts with filters.
   */
  private def contents(): Array[Byte] = {
    val stream = getClass.getResourceAsStream("warm-up.parquet")
    try stream.readAllBytes()
    finally stream.close()
  }
}
