package io.sbbf.parquet.prune

import java.util.BitSet

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.parquet.hashes.IndexHits
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.{FilePruning, FileStorage}

/**
 * Finds the files that an index refutes without opening them. Files with equal outcomes share one
 * object.
 *
 * @param size the number of files
 */
private[prune] final class IndexedFiles(
    hits: IndexHits,
    predicate: RowGroupPredicate,
    size: Int) {

  /** Returns the outcome of each file, null if a row group might match. */
  def outcomes(): Array[FilePruning] = {
    val found = new Array[FilePruning](size)
    val left = mightMatch(predicate)
    var shared: FilePruning = null
    var file = left.nextClearBit(0)
    while (file < size) {
      val rowGroups = hits.numRowGroups(file)
      if (rowGroups >= 0) {
        if (shared == null || shared.rowGroups != rowGroups) shared = refuted(rowGroups)
        found(file) = shared
      }
      file = left.nextClearBit(file + 1)
    }
    found
  }

  /** Returns the files that might hold a matching row, as far as the index decides. */
  private def mightMatch(part: RowGroupPredicate): BitSet = part match {
    case leaf: Leaf => hits.candidates(leaf)
    case And(children) => combined(children)(_ and _)
    case Or(children) => combined(children)(_ or _)
    case True | False | Unknown(_) => all
  }

  private def combined(children: Seq[RowGroupPredicate])(
      combine: (BitSet, BitSet) => Unit): BitSet = {
    val files = mightMatch(children.head).clone().asInstanceOf[BitSet]
    children.tail.foreach(child => combine(files, mightMatch(child)))
    files
  }

  private lazy val all: BitSet = {
    val files = new BitSet(size)
    files.set(0, size)
    files
  }

  private def refuted(rowGroups: Int): FilePruning =
    FilePruning
      .refuted(rowGroups, hasDistinctMidpoints = false, FileStorage.Unread)
      .copy(refutedBy = Map(Evidence.Index -> rowGroups))
}
