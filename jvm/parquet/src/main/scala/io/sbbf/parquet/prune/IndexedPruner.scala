package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.{IndexHits, RowGroupIndex}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.pass.{ListingPruner, PruningWarnings}
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning}

/**
 * Leaves out the files that an index refutes, each of which is one zone of the index, and prunes the
 * others by their own evidence.
 *
 * @param byFiles the pruner by the evidence in files; None for a format whose files hold none
 */
private[sbbf] final class IndexedPruner(
    index: RowGroupIndex,
    byFiles: Option[ListingPruner],
    warnings: PruningWarnings)
    extends ListingPruner(warnings) {

  override protected def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean): PrunedFiles = {
    def rest(some: IndexedSeq[FileStatus], isKnown: Int => Boolean): PrunedFiles =
      byFiles
        .filter(_ => predicate.canPruneByFiles)
        .fold(kept(some, isKnown))(_.prune(some, predicate, lookup, sampleFirst))
    searched(index, files, predicate, lookup, new LiteralEncodings(lookup.reader)) match {
      case None => rest(files, _ => false)
      case Some(hits) => prune(files, predicate, hits)(rest)
    }
  }

  private def prune(files: IndexedSeq[FileStatus], predicate: RowGroupPredicate, hits: IndexHits)(
      rest: (IndexedSeq[FileStatus], Int => Boolean) => PrunedFiles): PrunedFiles = {
    val outcomes = new IndexedFiles(hits, predicate, files.size).outcomes()
    val left = files.indices.filter(outcomes(_) == null)
    val found = rest(left.map(files), k => hits.numRowGroups(left(k)) >= 0)
    left.indices.foreach(k => outcomes(left(k)) = found.outcomes(k))
    found.copy(outcomes = outcomes.toIndexedSeq, index = hits.reads)
  }

  private def kept(files: IndexedSeq[FileStatus], isKnown: Int => Boolean): PrunedFiles =
    PrunedFiles(
      files.indices.map { k =>
        val length = files(k).getLen
        if (isKnown(k)) FilePruning.found(length)
        else FilePruning.keepAll(length, ScanPruning.NotIndexed)
      },
      stoppedEarly = false
    )
}
