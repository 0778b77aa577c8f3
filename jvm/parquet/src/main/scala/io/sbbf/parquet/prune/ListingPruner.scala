package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.{IndexHits, RowGroupIndex}
import io.sbbf.parquet.model.{ColumnLookup, RecoverableError}
import io.sbbf.parquet.pass.{FilesPass, PlanningLimits, PruneRequest, PruningWarnings}
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning, StorageRequirements}

/**
 * Finds the parts of the files of a listing that might hold a row that matches a predicate: by an
 * index, and then by what the files hold. Thread-safe.
 *
 * The contents of a file never make it fail. It keeps all of a file that it cannot read or
 * interpret, and reports the reason.
 *
 * @param index the index that is searched before files are opened
 * @param evaluators evaluate what the files hold; None for a format whose files hold no evidence
 * @param requirements what the scan's readers need to know of how a file stores columns
 */
private[sbbf] final class ListingPruner(
    index: RowGroupIndex,
    evaluators: Option[FileEvaluators],
    limits: PlanningLimits,
    warnings: PruningWarnings,
    requirements: StorageRequirements = StorageRequirements.Empty) {

  /**
   * Returns what pruning finds for a scan. Keeps all files after an error that does not concern a
   * single file: the query may still succeed without pruning.
   *
   * @param before the result for a part of the predicate; only files that it keeps are evaluated
   * @param sampleFirst as for [[prune]]
   */
  def scan(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      before: Option[ScanPruning] = None,
      sampleFirst: Boolean = false): ScanPruning = {
    val started = System.nanoTime
    val numbers = before.fold[IndexedSeq[Int]](files.indices)(_.keptIndices)
    val left = if (before.isEmpty) files else numbers.map(files)
    val pruned =
      try prune(left, predicate, lookup, sampleFirst)
      catch { case RecoverableError(e) => giveUp(left, e) }
    new ScanPruning(
      predicate,
      files,
      before.fold(pruned)(_.refinedBy(numbers, pruned)),
      System.nanoTime - started)
  }

  /**
   * Returns an outcome for each of `files`, in their order. It evaluates a sample of the files
   * first. If the sample shows too little benefit, it keeps the other files without reading them. So
   * it does with files that would take longer than the limit.
   *
   * @param sampleFirst whether the sample also decides on files that are cached, because
   *   evaluating the predicate takes long
   * @throws InterruptedException if the query is cancelled
   */
  def prune(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean = false): PrunedFiles = {
    val request = PruneRequest(predicate, lookup, limits, requirements)
    val filesDecide = evaluators.isDefined && predicate.canPruneByFiles
    def byFiles(
        some: IndexedSeq[FileStatus],
        of: FileEvaluators,
        hitsOf: Int => FileHits,
        remembers: Boolean) =
      new FilesPass(some, limits, warnings)
        .run(of.of(some, request, hitsOf, remembers), sampleFirst)

    if (!predicate.canPrune) keepAll(files, ScanPruning.NoUsableLeaf)
    else
      searched(files, request) match {
        case None =>
          evaluators
            .filter(_ => filesDecide)
            .fold(keepAll(files, ScanPruning.NotIndexed))(
              byFiles(files, _, _ => FileHits.Nothing, remembers = true))
        case Some(hits) =>
          val used = evaluators.filter(filesDecide || _.useRowGroupHits)
          new IndexedFiles(files, hits, predicate, filesDecide).prune { (numbers, left) =>
            // the next query leaves other files, unless the index decides on none
            used.fold(found(left))(
              byFiles(left, _, k => new FileHits(hits, numbers(k)), remembers = left eq files))
          }
      }
  }

  /** Searches the index; one that cannot be searched knows nothing. */
  private def searched(files: IndexedSeq[FileStatus], request: PruneRequest): Option[IndexHits] =
    try
      if (request.predicate.leaves.isEmpty) None
      else index.search(files, request.predicate, request.lookup, request.encodings)
    catch {
      case RecoverableError(e) =>
        warnings.once(
          s"index: ${e.getClass.getName}",
          s"cannot search the index of a table: ${e.getClass.getName}",
          e)
        None
    }

  /** Keeps all of `files` without reading them. */
  private def keepAll(files: IndexedSeq[FileStatus], reason: String): PrunedFiles =
    PrunedFiles(files.map(f => FilePruning.keepAll(f.getLen, reason)))

  /** Keeps files that the index does not refute. */
  private def found(files: IndexedSeq[FileStatus]): PrunedFiles =
    PrunedFiles(files.map(file => FilePruning.found(file.getLen)))

  private def giveUp(files: IndexedSeq[FileStatus], error: Throwable): PrunedFiles = {
    val reason = s"pruning failed: ${error.getClass.getName}"
    warnings.once(
      reason,
      s"cannot prune a scan, so it reads all of its ${files.size} files",
      error)
    PrunedFiles(files.map(f => FilePruning.unreadable(f.getLen, reason)))
  }
}
