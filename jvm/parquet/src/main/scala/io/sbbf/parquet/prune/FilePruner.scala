package io.sbbf.parquet.prune

import java.io.FileNotFoundException

import scala.util.control.ControlThrowable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.parquet.eval.{FileEvidence, ListingColumn}
import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.input.{ByteSource, Decryption, FileBytes, RecordedBytes, RecordedSource}
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.model.{FileVersion, RecoverableError, UnusableFile}
import io.sbbf.parquet.pass.{PruneRequest, PruningWarnings}
import io.sbbf.parquet.result.FilePruning

/**
 * Evaluates one predicate on files, one file at a time. Thread-safe.
 */
private[sbbf] final class FilePruner(
    hadoopConf: Configuration,
    request: PruneRequest,
    cache: FooterCache#Pass,
    warnings: PruningWarnings,
    checksVersions: Boolean) {
  import FilePruner._
  import request.{limits, lookup, predicate}

  private val decryption =
    Decryption.of(hadoopConf, Some(predicate.leaves.map(_.column.root)))

  /**
   * Returns the outcome of each file for which everything that it needs is in memory, and null for
   * the others.
   *
   * @param hitsOf returns what an index knows about a file, by its number
   * @param remembers whether the next queries are likely to prune the same files
   */
  def fromMemory(
      files: IndexedSeq[FileStatus],
      hitsOf: Int => FileHits,
      remembers: Boolean): Array[FilePruning] = {
    val listing = cache.listing(files, remembers)
    val refuted = refutedFiles(listing)
    val outcomes = Array.tabulate(files.size) { i =>
      val outcome = refuted(i)
      if (outcome != null) outcome else fromMemory(files(i), listing.evidence(i), hitsOf(i))
    }
    if (outcomes.contains(null)) cache.recordUse(listing)
    outcomes
  }

  private def fromMemory(file: FileStatus, evidence: FileEvidence, hits: FileHits): FilePruning =
    if (evidence == null || !decryption.mayReuse(evidence.footer.isEncrypted, file.getPath)) null
    else
      try verdicts(file, evidence, hits, () => throw NotInMemory)
      catch { case NotInMemory => null }

  /** Returns for how many files the cache had no space. */
  def filesDeclined: Int = cache.filesDeclined

  /**
   * Returns a function of the number of a file: its outcome if the evidence of one column refutes
   * the whole file, and otherwise null. Only without keys, because keys decide for each file
   * whether its evidence may be used.
   */
  private def refutedFiles(listing: ListingEvidence): Int => FilePruning =
    (predicate match {
      case leaf @ Leaf(_, In(_)) if listing.isComplete && (decryption eq Decryption.NoKeys) =>
        for {
          column <- listing.column(leaf.column, lookup.caseSensitive, cache.hasSpace)
          test <- Some(request.encodings.of(leaf, column.kind)).collect {
            case test: InSet if ListingColumn.canEvaluate(test) => test
          }
        } yield new RefutedFiles(
          listing,
          column,
          test,
          request.requirements,
          lookup.caseSensitive)
      case _ => None
    }).getOrElse(_ => null)

  /**
   * Returns the outcome and reads the file as far as necessary. If the file cannot be read, the
   * outcome keeps the whole file.
   *
   * @param hits what an index knows about the file
   */
  def fromStore(file: FileStatus, source: ByteSource, hits: FileHits): FilePruning =
    from(new FileBytes(source, file.getPath, file.getLen), file, hits)

  /**
   * Returns the outcome of a file that a task has read. If the task has returned what it read,
   * evaluates that, so that it enters the cache. If that is impossible, the outcome of the task
   * stands. Reads nothing from the store.
   *
   * @param readAt a time before the task opened the file, in milliseconds since 1970
   * @param isVerified whether the task has checked the version of the file
   */
  def fromTask(
      file: FileStatus,
      found: TaskOutcome,
      readAt: Long,
      isVerified: Boolean): FilePruning =
    found.recorded match {
      case None => found.outcome
      case Some(recorded) =>
        val version = if (isVerified) Some(FileVersion.of(file)) else None
        val source = new RecordedSource(recorded, readAt, version)
        val bytes = new FileBytes(source, file.getPath, file.getLen)
        try
          readAndEvaluate(file, bytes, FileHits.Nothing)
            .copy(bytesRead = found.outcome.bytesRead, opens = found.outcome.opens)
        catch { case RecordedBytes.Missing | RecoverableError(_) => found.outcome }
    }

  /**
   * Returns whether tasks have to check the versions of these files, because the cache knows one of
   * them.
   */
  def needsVersions(files: Iterator[FileStatus]): Boolean =
    checksVersions && files.exists(file => cached(FileVersion.of(file)).isDefined)

  /** Returns whether the scan has keys to encrypted files. */
  def usesKeys: Boolean = decryption ne Decryption.NoKeys

  private def from(bytes: FileBytes, file: FileStatus, hits: FileHits): FilePruning = {
    val outcome =
      try readAndEvaluate(file, bytes, hits)
      catch {
        case RecoverableError(e) if !Thread.currentThread.isInterrupted =>
          val reason = reasonOf(e)
          warnings.once(
            reason,
            s"cannot prune ${file.getPath}, so the scan reads all of it: " +
              s"$reason (${e.getClass.getSimpleName})")
          FilePruning.unreadable(file.getLen, reason)
      } finally bytes.close()
    outcome.copy(bytesRead = bytes.bytesRead, opens = bytes.opens)
  }

  private def readAndEvaluate(file: FileStatus, bytes: FileBytes, hits: FileHits): FilePruning = {
    val version = FileVersion.of(file)
    val known = cached(version)
    // what is known without the file is of this version
    if (checksVersions && (known.isDefined || hits.isKnown)) bytes.expect(version)
    val evidence = known.getOrElse {
      val readAt = bytes.readAt
      // The evidence of all threads together has to fit into the cache, which learns its size
      // later.
      val share = limits.cacheBytes / limits.threads
      val fresh = new FileEvidence(FooterReader.read(bytes, decryption), mostRetained = share)
      if (decryption.mayShare(fresh.footer.isEncrypted))
        cache.put(version, fresh, readAt)
      fresh
    }
    try verdicts(file, evidence, hits, () => bytes)
    finally cache.settle(version)
  }

  private def cached(version: FileVersion): Option[FileEvidence] =
    cache
      .get[FileEvidence](version)
      .filter(known => decryption.mayReuse(known.footer.isEncrypted, version.path))

  private def verdicts(
      file: FileStatus,
      evidence: FileEvidence,
      hits: FileHits,
      open: () => FileBytes): FilePruning =
    new RowGroupEvaluator(
      request,
      evidence,
      open,
      isCacheFull = () => cache.isExhausted,
      // an index of another file would have other row groups
      hits = if (hits.numRowGroups == evidence.footer.numRowGroups) hits.rowGroups else _ => null
    ).outcome(file.getLen)
}

private[sbbf] object FilePruner {

  /** Signals that the outcome needs something that is not in memory. */
  private object NotInMemory extends ControlThrowable

  private def reasonOf(e: Throwable): String = e match {
    case e: UnusableFile => e.reason
    case _: FileNotFoundException => "file not found"
    case _ => "unreadable file"
  }
}
