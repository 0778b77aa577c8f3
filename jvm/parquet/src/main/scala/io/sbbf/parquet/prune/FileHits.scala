package io.sbbf.parquet.prune

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.parquet.hashes.{IndexHits, LeafHits}

/** What an index knows about one file. */
private[sbbf] final class FileHits private (hits: Option[IndexHits], file: Int) {
  def this(hits: IndexHits, file: Int) = this(Some(hits), file)

  def isKnown: Boolean = numRowGroups >= 0

  /** The number of row groups that the index knows, -1 if it does not know the file. */
  def numRowGroups: Int = hits.fold(-1)(_.numRowGroups(file))

  /** Returns the row groups that might match a leaf, null if the index does not know them. */
  def rowGroups(leaf: Leaf): LeafHits =
    if (hits.isEmpty) null else hits.get.rowGroups(file, leaf)
}

private[sbbf] object FileHits {

  /** There is no index of the file. */
  val Nothing: FileHits = new FileHits(None, -1)
}
