package io.sbbf.parquet.prune

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.eval.{FileEvidence, ListingColumn}
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.result.{FilePruning, FileStorage, StorageRequirements}

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

  private var lastPass = begun
  private var recordedPass = begun
  private var columns = Map.empty[Key, Option[ListingColumn]]
  @volatile private var outcomes = Option.empty[Refuted]
  private lazy val fileBytes = files.iterator.map(bytesOf).sum

  /** Whether the evidence of all files is cached. */
  val isComplete: Boolean = !evidence.contains(null)

  /** Returns the latest pass that used it. */
  def lastUse: Long = synchronized(lastPass)

  /** Marks it as used by a pass. */
  def use(pass: Long): Unit = synchronized { lastPass = math.max(lastPass, pass) }

  def isOf(listed: IndexedSeq[FileStatus]): Boolean = FileVersion.areSame(listed, files)

  /** Returns the heap that it holds besides the evidence, in bytes. */
  def retainedBytes: Long = synchronized {
    fileBytes + columns.valuesIterator.flatten.map(_.retainedBytes).sum
  }

  /**
   * Returns the evidence of a column, and collects it if that was not done yet. Returns None if
   * there is none, or no space for it.
   *
   * @param caseSensitive whether column names have to agree in case
   * @param hasSpace returns whether there is space for so many bytes
   */
  def column(
      path: ColumnPath,
      caseSensitive: Boolean,
      hasSpace: Long => Boolean): Option[ListingColumn] = {
    val key = Key(path, caseSensitive)
    val found = synchronized(columns.get(key)) match {
      case Some(known) => known
      case None if hasSpace(ListingColumn.sizeOf(evidence)) =>
        val collected = ListingColumn.of(evidence, path, caseSensitive)
        synchronized { columns = columns.updated(key, collected) }
        collected
      case None => None
    }
    found.foreach(_.use(lastUse))
    found
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
          val (rowGroups, hasMidpoints) =
            (known.footer.numRowGroups, known.footer.hasMidpoints)
          shared.getOrElseUpdate(
            (rowGroups, hasMidpoints, storage),
            FilePruning.refuted(rowGroups, hasMidpoints, storage))
        }
        outcomes = Some(Refuted(requirements, caseSensitive, computed))
        computed
    }

  /** Whether a pass has used it since [[recordUse]] was called. */
  def hasUnrecordedUse: Boolean = synchronized(lastPass > recordedPass)

  /**
   * Calls `use` with each file whose evidence it holds, and with the latest pass that used it. Marks
   * the contents of each column as used by the latest pass that used that column.
   */
  def recordUse(use: (FileVersion, Long) => Unit): Unit = {
    val pass = lastUse
    var file = 0
    while (file < evidence.length) {
      if (evidence(file) != null) use(FileVersion.of(files(file)), pass)
      file += 1
    }
    synchronized(columns).valuesIterator.flatten.foreach(_.recordUse())
    synchronized { recordedPass = pass }
  }
}

private[prune] object ListingEvidence {

  /**
   * Estimates the heap of a status with its path, which holds its text twice, and of the references
   * to both, to the evidence and to the outcome.
   */
  private def bytesOf(file: FileStatus): Long = 360L + 2L * file.getPath.toString.length

  private final case class Key(path: ColumnPath, caseSensitive: Boolean)

  private final case class Refuted(
      requirements: StorageRequirements,
      caseSensitive: Boolean,
      files: Array[FilePruning])
}
