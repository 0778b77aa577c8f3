package io.sbbf.spark.plan

import java.io.{FileNotFoundException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem}

import io.sbbf.core.RowGroupPredicate
import io.sbbf.parquet._
import io.sbbf.spark.SbbfConf

/** How a pass may go about its files; see the keys of [[SbbfConf]]. */
private[spark] final case class PlanningLimits(
    threads: Int,
    sampleFiles: Int,
    tailBytes: Int,
    cacheBytes: Long)

/**
 * Finds which row groups of which files might hold a row that matches a predicate. Thread-safe.
 *
 * Never fails for what a file holds: a file that cannot be read or understood is kept whole, with the reason.
 */
private[spark] final class RowGroupPruner(
    hadoopConf: Configuration,
    caseSensitive: Boolean,
    limits: PlanningLimits,
    cache: FooterCache) {
  import RowGroupPruner._

  /**
   * One outcome for each of `files`, in their order. A sample is asked first; where it prunes next to nothing
   * the others are kept without being asked. Throws InterruptedException when the query is cancelled.
   */
  def prune(files: IndexedSeq[FileStatus], predicate: RowGroupPredicate): PrunedFiles =
    if (predicate.isUsable) pruneUsable(files, predicate)
    else whole(files, NoUsableLeaf)

  /** All of `files`, after trouble that is not of one file; stock Spark may well answer. */
  def giveUp(files: IndexedSeq[FileStatus], trouble: Throwable): PrunedFiles = {
    val reason = s"pruning failed: ${trouble.getClass.getName}"
    SbbfConf.warnOnce(reason, s"a scan of ${files.size} files is planned whole; $reason")
    whole(files, reason)
  }

  private def whole(files: IndexedSeq[FileStatus], reason: String): PrunedFiles =
    PrunedFiles(files.map(f => FileOutcome.whole(f.getLen, reason)), stoppedEarly = false)

  private def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate): PrunedFiles = {
    val systems = files
      .map(_.getPath)
      .groupBy(p => (p.toUri.getScheme, p.toUri.getAuthority))
      .map { case (key, paths) => key -> paths.head.getFileSystem(hadoopConf) }
    val encodings = new LiteralEncodings
    def askAll(some: IndexedSeq[Int]): Array[FileOutcome] =
      BoundedPool.map(some, limits.threads) { i =>
        val uri = files(i).getPath.toUri
        ask(files(i), systems((uri.getScheme, uri.getAuthority)), predicate, encodings)
      }
    val sample =
      if (limits.sampleFiles == 0) IndexedSeq.empty else Sample.of(files, limits.sampleFiles)
    val sampled = askAll(sample)
    val stops = sample.nonEmpty && sample.size < files.size && !prunes(sampled)
    val rest = files.indices.diff(sample)
    val others =
      if (stops) rest.map(i => FileOutcome.whole(files(i).getLen, NotAsked)).toArray
      else askAll(rest)

    val outcomes = new Array[FileOutcome](files.size)
    sample.indices.foreach(k => outcomes(sample(k)) = sampled(k))
    rest.indices.foreach(k => outcomes(rest(k)) = others(k))
    PrunedFiles(outcomes.toIndexedSeq, stoppedEarly = stops)
  }

  /** Whether asking all files can be worth while: one row group in fifty, at the least, is refuted. */
  private def prunes(sample: Array[FileOutcome]): Boolean = {
    val refuted = sample.map(o => o.rowGroups - o.kept).sum
    refuted > 0 && refuted * 50 >= sample.map(_.rowGroups).sum
  }

  private def ask(
      file: FileStatus,
      system: FileSystem,
      predicate: RowGroupPredicate,
      encodings: LiteralEncodings): FileOutcome = {
    val version = FileVersion.of(file)
    val bytes = new FileBytes(system, file.getPath, file.getLen, limits.tailBytes)
    try {
      val evidence = cache.get(version).getOrElse {
        val readAt = System.currentTimeMillis
        val fresh = new FileEvidence(FooterReader.read(bytes))
        cache.put(version, fresh, readAt, limits.cacheBytes)
        fresh
      }
      val outcome =
        new FileVerdicts(predicate, evidence, caseSensitive, encodings, bytes).outcome()
      if (outcome.bytesRead > 0) cache.reweigh(version, limits.cacheBytes)
      outcome
    } catch {
      case NonFatal(e) if !isInterruption(e) =>
        val reason = reasonOf(e)
        SbbfConf.warnOnce(
          reason,
          s"${file.getPath} is kept whole: $reason (${e.getClass.getSimpleName})")
        FileOutcome.whole(file.getLen, reason, bytes.bytesRead, bytes.opens)
    } finally bytes.close()
  }
}

private[spark] object RowGroupPruner {
  val NoUsableLeaf = "no part of the predicate that evidence could answer"
  val NotAsked = "not asked: a sample of the files gave nothing"

  private def isInterruption(e: Throwable): Boolean = e match {
    case _: SocketTimeoutException => false
    case _: InterruptedIOException | _: ClosedByInterruptException => true
    case _ => Thread.currentThread.isInterrupted
  }

  private def reasonOf(e: Throwable): String = e match {
    case e: UnusableFile => e.reason
    case _: FileNotFoundException => "file not found"
    case _ => "unreadable file"
  }
}

/** The outcome of each file of a pass, in the files' order. */
private[spark] final case class PrunedFiles(
    outcomes: IndexedSeq[FileOutcome],
    stoppedEarly: Boolean)
