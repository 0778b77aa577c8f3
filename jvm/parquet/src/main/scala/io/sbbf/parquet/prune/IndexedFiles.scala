package io.sbbf.parquet.prune

import java.util.BitSet

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.parquet.hashes.IndexHits
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.{FilePruning, FileStorage, PrunedFiles, ScanPruning}

/**
 * Prunes the files of a listing by an index, without opening those that it refutes. Files with equal
 * outcomes share one object.
 *
 * @param filesDecide whether the evidence in files may refute what the index does not know
 */
private[prune] final class IndexedFiles(
    files: IndexedSeq[FileStatus],
    hits: IndexHits,
    predicate: RowGroupPredicate,
    filesDecide: Boolean) {

  private val size = files.size

  /**
   * Returns the outcomes of all files.
   *
   * @param rest returns those of the files that the index does not decide on, by their numbers. They
   *   are the listing itself if the index decides on none.
   */
  def prune(rest: (IndexedSeq[Int], IndexedSeq[FileStatus]) => PrunedFiles): PrunedFiles = {
    val outcomes = outcomesByIndex()
    val undecided = files.indices.filter(outcomes(_) == null)
    val pruned = rest(undecided, if (undecided.size == size) files else undecided.map(files))
    undecided.indices.foreach(k => outcomes(undecided(k)) = pruned.outcomes(k))
    pruned.copy(outcomes = outcomes.toIndexedSeq, index = hits.reads)
  }

  /** Returns the outcome of each file, null if it depends on what the file holds. */
  private def outcomesByIndex(): Array[FilePruning] = {
    val outcomes = new Array[FilePruning](size)
    val matching = mightMatch(predicate)
    var shared: FilePruning = null
    var file = 0
    while (file < size) {
      val rowGroups = hits.numRowGroups(file)
      if (rowGroups >= 0 && !matching.get(file)) {
        if (shared == null || shared.rowGroups != rowGroups) shared = refuted(rowGroups)
        outcomes(file) = shared
      } else if (rowGroups < 0 && !filesDecide)
        outcomes(file) = FilePruning.keepAll(files(file).getLen, ScanPruning.NotIndexed)
      file += 1
    }
    outcomes
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
      .refuted(rowGroups, hasMidpoints = false, FileStorage.Unread)
      .copy(refutedBy = Map(Evidence.Index -> rowGroups))
}
