package io.sbbf.spark.plan

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.StructType

import io.sbbf.core.RowGroupPredicate
import io.sbbf.parquet.{ColumnLookup, Interruption}
import io.sbbf.spark.read.{PushdownGuard, PushdownLevel, RowGroupRanges}

/**
 * A file index that leaves out what the filters refute.
 *
 * Guaranteed: the files that [[listFiles]] gives depend on the filters handed to it alone, and on the base. What
 * the last pass found is remembered for sizes, reports and the layout of splits, and is used again for the same
 * predicate only. Equal to another one exactly if the bases are and both keep splits or none, so that exchanges and
 * subqueries are reused as they are without it; never equal to its base, so that the optimizer does not drop the
 * replacement.
 *
 * @param keepsSplits whether files are cut into splits as without pruning, as the query shows blocks: a file of which
 *   nothing is left is planned then, too, with nothing to read, as the size of splits goes by that of all files
 */
final class PrunedFileIndex private[spark] (
    val base: FileIndex,
    columns: ScanColumns,
    pruner: RowGroupPruner,
    private[spark] val guard: PushdownGuard,
    private[spark] val keepsSplits: Boolean)
    extends FileIndex {

  @volatile private var latest: Option[(ColumnLookup, ScanSelection)] = None
  @volatile private var shown: Option[ScanMetrics] = None
  private val nanos = new AtomicLong

  override def rootPaths: Seq[Path] = base.rootPaths
  override def partitionSchema: StructType = base.partitionSchema

  override def refresh(): Unit = {
    base.refresh()
    latest = None
  }

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val directories = base.listFiles(partitionFilters, dataFilters)
    val files = directories.iterator.flatMap(_.files.iterator.map(_.fileStatus)).toIndexedSeq
    val selection = select(files, translated(dataFilters))
    shown.foreach(_.set(selection))
    val outcomes = selection.outcomes.iterator
    directories
      .map(d =>
        d.copy(files = d.files.flatMap(file => planned(file, outcomes.next(), selection))))
      .filter(_.files.nonEmpty)
  }

  /** Whether the files may be others when the scan runs. */
  private[spark] def mayListOthers: Boolean = base.isInstanceOf[CatalogFileIndex]

  /** What parquet-mr may check where tasks do not compare the version of a file with the one that was planned. */
  private[spark] def levelOfAnyVersion: PushdownLevel =
    if (mayListOthers || selection.exists(_.hasUncheckedFiles)) PushdownLevel.Nothing
    else PushdownLevel.AnyFile

  /** What the last pass found. */
  private[spark] def selection: Option[ScanSelection] = latest.map(_._2)

  /** What the nodes of its scans show; every pass from now on is told to it. */
  private[plan] def metrics(context: SparkContext): ScanMetrics = synchronized {
    shown.getOrElse {
      val metrics = new ScanMetrics(context)
      selection.foreach(metrics.set)
      shown = Some(metrics)
      metrics
    }
  }

  override def sizeInBytes: Long = selection.fold(base.sizeInBytes)(_.sizeInBytes)
  override def inputFiles: Array[String] = selection.fold(base.inputFiles)(_.inputFiles)
  override def metadataOpsTimeNs: Option[Long] = Some(
    base.metadataOpsTimeNs.getOrElse(0L) + nanos.get)

  override def equals(other: Any): Boolean = other match {
    case that: PrunedFileIndex => that.base == base && that.keepsSplits == keepsSplits
    case _ => false
  }
  override def hashCode: Int = base.hashCode

  private def translated(dataFilters: Seq[Expression]): RowGroupPredicate =
    try columns.translator.translate(dataFilters)
    catch { case Trouble(_) => RowGroupPredicate.Unknown("the predicate could not be read") }

  private def select(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate): ScanSelection = {
    val lookup = columns.lookup
    latest
      .collect { case (`lookup`, found) if found.answers(predicate, files) => found }
      .getOrElse(pruned(files, predicate, lookup))
  }

  private def pruned(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup): ScanSelection = {
    val started = System.nanoTime
    val pruned =
      try pruner.prune(files, predicate, lookup)
      catch { case Trouble(e) if !Interruption.is(e) => pruner.giveUp(files, e) }
    val spent = System.nanoTime - started
    val selection =
      new ScanSelection(predicate, files, pruned.outcomes, pruned.stoppedEarly, spent)
    nanos.addAndGet(spent)
    latest = Some(lookup -> selection)
    selection
  }

  private def planned(
      file: FileStatusWithMetadata,
      outcome: FileOutcome,
      selection: ScanSelection): Option[FileStatusWithMetadata] =
    if (outcome.isGone && !keepsSplits) None
    else {
      val ranges = if (outcome.isGone) Some(Array.empty[Long]) else outcome.ranges
      val told = ranges.map(RowGroupRanges.Key -> _) ++
        Some(selection.level(outcome))
          .filter(_ != PushdownLevel.AnyFile)
          .map(RowGroupRanges.LevelKey -> _.toString)
      Some(if (told.isEmpty) file else file.copy(metadata = file.metadata ++ told))
    }
}
