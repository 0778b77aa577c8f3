package io.sbbf.parquet.prune

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.eval.{ColumnScreen, FileEvidence}
import io.sbbf.parquet.model.FileVersion

/**
 * Holds the cached evidence of the files of one listing, and what is derived from all of it. Queries
 * of the same files share it, so that they need not look up each file. Thread-safe.
 *
 * @param evidence the evidence of each of `files`, or null if it is not cached; do not modify
 * @param begun the pass that looked the files up
 */
private[prune] final class ListingEvidence(
    files: IndexedSeq[FileStatus],
    val evidence: Array[FileEvidence],
    begun: Long) {
  import ListingEvidence._

  /** The latest pass that used it. */
  @volatile var lastUse: Long = begun

  @volatile private var screens = Map.empty[Key, Option[ColumnScreen]]
  @volatile private var outcomes = Option.empty[Refuted]

  /** Whether the evidence of all files is cached. */
  lazy val isComplete: Boolean = !evidence.contains(null)

  /** Returns whether these are the same versions of the same files in the same order. */
  def isOf(listed: IndexedSeq[FileStatus]): Boolean =
    listed.size == files.size && listed.indices.forall(i => isSame(listed(i), files(i)))

  private def isSame(a: FileStatus, b: FileStatus): Boolean =
    (a eq b) || (a.getLen == b.getLen && FileVersion.of(a) == FileVersion.of(b))

  /** Returns the heap that it holds besides the evidence, in bytes. */
  def retainedBytes: Long =
    BytesPerFile * files.size + screens.valuesIterator.flatten.map(_.retainedBytes).sum

  /**
   * Returns the screen of a column, and builds it if there is none yet.
   *
   * @param caseSensitive whether column names have to agree in case
   * @param hasRoom returns whether there is room for so many bytes; builds no screen without room
   */
  def screen(
      path: ColumnPath,
      caseSensitive: Boolean,
      hasRoom: Long => Boolean): Option[ColumnScreen] = {
    val key = Key(path, caseSensitive)
    if (!screens.contains(key) && hasRoom(ColumnScreen.sizeOf(evidence))) {
      val built = ColumnScreen.of(evidence, path, caseSensitive)
      screens = screens.updated(key, built)
    }
    screens.getOrElse(key, None)
  }

  /**
   * Returns the outcome that each file has if all of its row groups are refuted, without the
   * evidence that refutes them. Files share equal outcomes.
   */
  def refuted(requirements: StorageRequirements, caseSensitive: Boolean): Array[FilePruning] =
    outcomes.find(o => o.requirements == requirements && o.caseSensitive == caseSensitive) match {
      case Some(known) => known.files
      case None =>
        val shared = mutable.HashMap.empty[(Int, Boolean, FileStorage), FilePruning]
        val computed = evidence.map { known =>
          val storage = FileStorage.of(known.footer, requirements, caseSensitive)
          val (rowGroups, isDistinct) =
            (known.footer.numRowGroups, known.footer.hasDistinctMidpoints)
          shared.getOrElseUpdate(
            (rowGroups, isDistinct, storage),
            FilePruning.refuted(rowGroups, isDistinct, storage))
        }
        outcomes = Some(Refuted(requirements, caseSensitive, computed))
        computed
    }

  /** Marks the evidence that a pass used through this listing as used by that pass. */
  def touch(touchEntry: FileVersion => Unit): Unit = {
    files.foreach(file => touchEntry(FileVersion.of(file)))
    screens.valuesIterator.flatten.foreach(_.touch(lastUse))
  }
}

private[prune] object ListingEvidence {

  /** References to a status, its evidence and its outcome, and the status itself. */
  private val BytesPerFile = 3 * 8 + 128L

  private final case class Key(path: ColumnPath, caseSensitive: Boolean)

  private final case class Refuted(
      requirements: StorageRequirements,
      caseSensitive: Boolean,
      files: Array[FilePruning])
}
