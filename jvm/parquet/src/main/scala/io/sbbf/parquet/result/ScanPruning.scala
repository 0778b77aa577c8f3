package io.sbbf.parquet.result

import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.{Evidence, FileVersion}

/**
 * The result of pruning the files of one scan by one predicate. Immutable.
 *
 * @param pruned the result for each of `files`, in their order
 * @param nanos the duration of pruning, in nanoseconds
 */
private[sbbf] final class ScanPruning(
    val predicate: RowGroupPredicate,
    files: IndexedSeq[FileStatus],
    pruned: PrunedFiles,
    val nanos: Long) {
  import ScanPruning._

  def outcomes: IndexedSeq[FilePruning] = pruned.outcomes
  def stoppedEarly: Boolean = pruned.stoppedEarly
  def filesDeclined: Int = pruned.filesDeclined
  def index: IndexReads = pruned.index
  def tasks: TaskReads = pruned.tasks

  private lazy val totals = OutcomeTotals.of(outcomes)

  private lazy val keptInPart: Map[Path, FilePruning] =
    keptIndices.iterator
      .filter(outcomes(_).ranges.isDefined)
      .map(i => files(i).getPath -> outcomes(i))
      .toMap

  /** Whether this is the result of `other` for the same versions of the same files. */
  def isReusableFor(other: RowGroupPredicate, of: IndexedSeq[FileStatus]): Boolean =
    other == predicate && FileVersion.areSame(of, files)

  /** Whether an index was searched, so that filters of some files were not checked. */
  def isIndexed: Boolean = index != IndexReads.Nothing

  /** Returns the numbers of the files that are not pruned. */
  lazy val keptIndices: IndexedSeq[Int] = totals.indicesOf(!_.isPruned)

  /**
   * Returns the result for all files after a narrower predicate was evaluated on some of them. A
   * file that was read before keeps its outcome if the evaluation could not check it.
   *
   * @param some the numbers of these files
   * @param refined their new result
   */
  def refinedBy(some: IndexedSeq[Int], refined: PrunedFiles): PrunedFiles = {
    val all = outcomes.toArray
    some.indices.foreach { i =>
      val (outcome, wasUnread) = (refined.outcomes(i), all(some(i)).storage == FileStorage.Unread)
      if (outcome.isKnown || wasUnread) all(some(i)) = outcome
    }
    refined.copy(outcomes = all.toIndexedSeq, index = index + refined.index)
  }

  def numFiles: Int = files.size
  def keptFiles: Int = keptIndices.size
  lazy val rowGroups: Long = totals.sum(_.rowGroups.toLong)
  lazy val keptRowGroups: Long = totals.sum(_.kept.toLong)
  lazy val filesBytes: Long = files.iterator.map(_.getLen).sum

  /** The number of bytes that the kept row groups have in their files. */
  lazy val keptBytes: Long = totals.sum(_.keptBytes)

  /** The number of bytes of the files that are not pruned. */
  def keptFilesBytes: Long = keptIndices.iterator.map(files(_).getLen).sum

  /** Returns [[keptBytes]], but at least 1, because Spark does not allow a size of 0. */
  def sizeInBytes: Long = math.max(1L, keptBytes)

  /** Returns the number of rows in the kept row groups, if it is known of all files. */
  def rows: Option[Long] =
    if (totals.exists(o => !o.isKnown || o.keptRows < 0)) None
    else Some(totals.sum(_.keptRows))

  /** Returns the URIs of the files that are not pruned. */
  def inputFiles: Array[String] =
    keptIndices.iterator.map(files(_).getPath.toUri.toString).toArray

  /** Whether tasks read only some byte ranges of at least one file. */
  lazy val trimsFiles: Boolean = totals.exists(_.ranges.isDefined)

  /** Returns the union of some sets of all files' outcomes. */
  def gather[T](of: FilePruning => Set[T]): Set[T] = totals.gather(of)

  /** Returns whether the outcome of some file has a property. */
  def exists(property: FilePruning => Boolean): Boolean = totals.exists(property)

  /** Whether one task of at most `taskBytes` can read all surviving row groups of `path`. */
  def isOneTask(path: Path, taskBytes: Long): Boolean =
    keptInPart.get(path).exists(o => o.kept == 1 || o.keptBytes <= taskBytes)

  lazy val refutedBy: Map[Evidence, Long] = totals.sums(_.refutedBy)
  lazy val keptBecause: Map[String, Long] = totals.sums(_.keptBecause)
  lazy val filtersRejected: Map[String, Long] = totals.sums(_.filtersRejected)
  lazy val bytesRead: Long = totals.sum(_.bytesRead)
  lazy val filesOpened: Long = totals.sum(_.opens.toLong)

  /**
   * Splits the files, in their order, into at most `most` ranges of adjacent files. All ranges
   * have the same number of files; the last one may have fewer.
   */
  def ranges(most: Int): Iterator[FileRange] = {
    val length = math.max(1, (numFiles + most - 1) / most)
    files.indices.grouped(length).map { run =>
      FileRange(
        files(run.head).getPath.getName,
        files(run.last).getPath.getName,
        run.map(outcomes))
    }
  }

  /**
   * The result in words, for example, "kept 1 of 4,000 row groups in 1 of 1,000 files; 12 ms; 38 KB
   * read". Spark shows it each time it describes a plan, several times for a query.
   */
  lazy val summary: String =
    if (!predicate.canPrune) f"kept all of $numFiles%,d files: $NoUsableLeaf"
    else
      f"kept $keptRowGroups%,d of $rowGroups%,d row groups in $keptFiles%,d of $numFiles%,d files; " +
        f"${nanos / 1000000}%,d ms; ${(bytesRead + 1023) / 1024}%,d KB read$searched${tasks.summary}$note$space"

  private def searched: String =
    if (isIndexed) s"; index: ${index.summary}" else ""

  private def space: String =
    if (filesDeclined == 0) "" else f"; files without space in the cache: $filesDeclined%,d"

  private def note: String = {
    val unknown = totals.count(!_.isKnown)
    val slow = keptBecause.getOrElse(TooSlow, 0L)
    if (slow > 0)
      f"; stopped: reading $slow%,d more files would take longer than " +
        "spark.sbbf.planning.maxSeconds; create an index, or raise the setting"
    else if (stoppedEarly) f"; stopped: a sample showed no benefit, $unknown%,d files not checked"
    else if (unknown > 0) f"; $unknown%,d files kept whole"
    else ""
  }
}

private[sbbf] object ScanPruning {
  val NoUsableLeaf = "no part of the predicate can prune row groups"
  val TooSlow = "not checked: it would take longer than spark.sbbf.planning.maxSeconds"
  val NotIndexed = "not checked: only the index could rule it out, which does not know the file"
  val Found = "the index does not rule the file out"
  val NotChecked = "not checked: a sample of the files showed no benefit"
}
