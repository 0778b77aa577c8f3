package io.sbbf.parquet.hashes

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup

/** Finds row groups by keys that are kept apart from their files. Thread-safe. */
private[sbbf] trait RowGroupIndex {

  /**
   * Returns what the index knows about the leaves of a predicate in the files of one listing; None
   * if it knows nothing.
   *
   * @throws java.io.IOException if the index cannot be read
   */
  def search(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      encodings: LiteralEncodings): Option[IndexHits]
}

private[sbbf] object RowGroupIndex {

  /** Knows nothing. */
  val Empty: RowGroupIndex = (_, _, _, _) => None
}
