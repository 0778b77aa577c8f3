package io.sbbf.parquet.hashes

import java.util.BitSet

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.result.IndexReads

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

  /** Decides on no file. */
  val Empty: RowGroupIndex = (_, _, _, _) => None
}

/** What an index knows about one predicate in the files of one listing. Thread-safe. */
private[sbbf] trait IndexHits {

  /** Returns the number of row groups of a file, -1 if the index does not know the file. */
  def numRowGroups(file: Int): Int

  /**
   * Returns the files that might hold a row that matches the leaf, and all files that the index
   * does not know. Do not modify the set.
   */
  def candidates(leaf: Leaf): BitSet

  /**
   * Returns the row groups of a file that might hold a row that matches the leaf. Returns null if
   * the index does not know them.
   */
  def rowGroups(file: Int, leaf: Leaf): LeafHits

  /** What the search has read. */
  def reads: IndexReads
}

/**
 * The row groups of a file that might hold a row that matches a leaf.
 *
 * @param rowGroups their numbers, ascending
 * @param areExact whether almost all of them do hold one, so that other evidence in the file is not
 *   worth a read
 */
private[sbbf] final class LeafHits(val rowGroups: Array[Int], val areExact: Boolean)
