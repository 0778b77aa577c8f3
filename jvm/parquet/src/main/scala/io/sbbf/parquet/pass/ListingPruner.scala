package io.sbbf.parquet.pass

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.{IndexHits, RowGroupIndex}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, RecoverableError}
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning}

/**
 * Finds the parts of the files of a listing that might hold a row that matches a predicate.
 * Thread-safe.
 *
 * The contents of a file never make it fail. It keeps all of a file that it cannot read or
 * interpret, and reports the reason.
 */
private[sbbf] abstract class ListingPruner(warnings: PruningWarnings) {

  /**
   * Returns an outcome for each of `files`, in their order. It evaluates a sample of the files
   * first. If the sample shows too little benefit, it keeps the other files without reading them. So
   * it does with files that would take longer than the limit.
   *
   * @param sampleFirst whether the sample also decides on files that are cached, because
   *   evaluating the predicate takes long
   * @throws InterruptedException if the query is cancelled
   */
  final def prune(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean = false): PrunedFiles =
    if (predicate.canPrune) pruneUsable(files, predicate, lookup, sampleFirst)
    else keepAll(files, ScanPruning.NoUsableLeaf)

  /** Keeps all of `files` without reading them. */
  protected final def keepAll(files: IndexedSeq[FileStatus], reason: String): PrunedFiles =
    PrunedFiles(files.map(f => FilePruning.keepAll(f.getLen, reason)), stoppedEarly = false)

  /** Does what [[prune]] does, for a predicate that can prune. */
  protected def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean): PrunedFiles

  /** Searches an index; one that cannot be searched knows nothing. */
  protected final def searched(
      index: RowGroupIndex,
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      encodings: LiteralEncodings): Option[IndexHits] =
    try
      if (predicate.leaves.isEmpty) None
      else index.search(files, predicate, lookup, encodings)
    catch {
      case RecoverableError(e) =>
        warnings.once(
          s"index: ${e.getClass.getName}",
          s"cannot search the index of a table: ${e.getClass.getName}",
          e)
        None
    }

  /**
   * Keeps all of `files` after an error that does not concern a single file. The query may still
   * succeed without pruning.
   */
  final def giveUp(files: IndexedSeq[FileStatus], error: Throwable): PrunedFiles = {
    val reason = s"pruning failed: ${error.getClass.getName}"
    warnings.once(
      reason,
      s"cannot prune a scan, so it reads all of its ${files.size} files",
      error)
    PrunedFiles(files.map(f => FilePruning.unreadable(f.getLen, reason)), stoppedEarly = false)
  }
}
