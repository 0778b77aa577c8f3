package io.sbbf.spark.plan

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.StructType

import io.sbbf.core.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.Value
import io.sbbf.parquet.ColumnLookup
import io.sbbf.spark.read.PushdownGuard

/**
 * Prunes a small bundled file in the background, once in a JVM, after the session has started: the first query then does
 * not wait until the JVM has loaded and linked some 400 classes.
 *
 * Guaranteed: it reads and changes nothing of a session, and shares no cache and no file system with one. A failure is
 * logged and has no other effect. It evaluates no Catalyst expression: two threads that initialize the same classes in
 * different orders can wait for each other, and the session initializes Catalyst's at the same time.
 */
private[spark] object WarmUp extends Logging {
  private val isStarted = new AtomicBoolean

  /** Returns at once. */
  def start(): Unit = if (isStarted.compareAndSet(false, true)) {
    val thread = new Thread(() => run(), "sbbf-warm-up")
    thread.setDaemon(true)
    thread.setContextClassLoader(getClass.getClassLoader)
    thread.start()
  }

  private def run(): Unit =
    try {
      prune()
      ()
    } catch { case Trouble(e) => logDebug("the first query will load the classes of pruning", e) }

  /** What a lookup of a number, and one of a text, find in the file; neither is in it. */
  private[plan] def prune(): Seq[FileOutcome] = {
    val local = Files.createTempFile("sbbf-warm-up", ".parquet")
    try {
      Files.write(local, contents())
      val conf = new Configuration(false)
      conf.setBoolean("fs.file.impl.disable.cache", true)
      val path = new Path(local.toUri)
      val file = path.getFileSystem(conf).getFileStatus(path)
      val lookups = Seq(
        Leaf(Seq("number"), In(Seq(Value.Integral(1, 64)))),
        Leaf(Seq("text"), In(Seq(Value.Bytes("1".getBytes, text = true)))))
      val guard = PushdownGuard(Nil, new StructType, byFieldId = false, caseSensitive = false)
      val limits =
        PlanningLimits(threads = 1, sampleFiles = 0, tailBytes = 64 << 10, cacheBytes = 0)
      lookups.flatMap { predicate =>
        new RowGroupPruner(conf, limits, new FooterCache, guard)
          .prune(IndexedSeq(file), predicate, ColumnLookup(caseSensitive = false))
          .outcomes
      }
    } finally {
      Files.deleteIfExists(local)
      ()
    }
  }

  /** Made by tests/warm_up_file.py: whole numbers with bounds and filters, and dictionary-encoded texts with filters. */
  private def contents(): Array[Byte] = {
    val stream = getClass.getResourceAsStream("warm-up.parquet")
    try stream.readAllBytes()
    finally stream.close()
  }
}
