package io.sbbf.parquet.hashes

import java.util.BitSet

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.parquet.result.IndexReads

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
