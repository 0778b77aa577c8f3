package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.RowGroupIndex
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
    val pruner = byFiles.filter(_ => predicate.canPruneByFiles)
    def byFile(some: IndexedSeq[FileStatus]) =
      pruner.map(_.prune(some, predicate, lookup, sampleFirst))
    searched(index, files, predicate, lookup, new LiteralEncodings(lookup.reader)) match {
      case None => byFile(files).getOrElse(keepAll(files, ScanPruning.NotIndexed))
      case Some(hits) =>
        new IndexedFiles(files, hits, predicate, filesDecide = pruner.isDefined)
          .prunedWith((_, left) => byFile(left).getOrElse(found(left)))
    }
  }

  private def found(files: IndexedSeq[FileStatus]): PrunedFiles =
    PrunedFiles(files.map(file => FilePruning.found(file.getLen)), stoppedEarly = false)
}
