package io.sbbf.spark.files

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.StructType

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.{ColumnLookup, FileVersion, RecoverableError}
import io.sbbf.parquet.prune.ListingPruner
import io.sbbf.parquet.result.{FilePruning, ScanPruning}
import io.sbbf.spark.pages.PageCounts
import io.sbbf.spark.pushdown.{PlannedScan, PushdownGuard, PushdownLevel}
import io.sbbf.spark.read.RowGroupRanges
import io.sbbf.spark.scan.{FileColumns, LateKeys}

/**
 * Lists the files of another index without those that the filters refute.
 *
 * Guaranteed: the result of [[listFiles]] depends only on its filters, on the base, on the late
 * keys and on the partitions that the scan's runtime filters select. The index keeps the result of
 * the last pass for sizes, reports and the layout of splits. It reuses that result only for the
 * same predicate on the same files.
 *
 * Two indexes are equal if their bases, their late keys and their `preserveSplits` are equal, so
 * Spark reuses exchanges and subqueries as without pruning. An index never equals its base, so the
 * optimizer does not drop the replacement.
 *
 * @param preserveSplits whether files are cut into splits as without pruning, for queries that
 *   can see splits. A fully pruned file is then still planned, with nothing to read: the size of
 *   splits depends on the size of all files.
 * @param late the keys that the query found while it ran
 * @param selectsPartition whether the scan reads a partition with these values, by filters that the
 *   query evaluates while it runs. It leaves out other partitions by itself. Not a part of equality:
 *   scans with other runtime filters differ by those filters.
 * @param planned the pass over the same files before these keys were known
 */
final class PrunedFileIndex private[spark] (
    val base: FileIndex,
    columns: ScanColumns,
    pruner: ListingPruner,
    private[spark] val guard: PushdownGuard,
    private[spark] val preserveSplits: Boolean,
    private[spark] val late: Seq[LateKeys] = Nil,
    selectsPartition: InternalRow => Boolean = _ => true,
    planned: Option[PrunedFileIndex.Pass] = None)
    extends FileIndex {
  import PrunedFileIndex.Pass

  @volatile private var latest: Option[Pass] = None
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
    val listing = listed(partitionFilters, dataFilters)
    val selection = select(listing.files, dataFilters)
    shown.foreach(_.set(selection))
    val levelOf = PlannedScan.levels(selection)
    val left = if (preserveSplits) selection.outcomes.indices else selection.keptIndices
    listing.directoriesOf(left)((i, file) => marked(file, selection.outcomes(i), levelOf))
  }

  /** Returns what pruning finds for these filters; keeps it as [[selection]]. */
  private[spark] def prune(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): ScanPruning =
    select(listed(partitionFilters, dataFilters).files, dataFilters)

  private def listed(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): BaseListing =
    BaseListing.of(base, partitionFilters, dataFilters).inPartitions(selectsPartition)

  /**
   * Returns an index that also leaves out what holds none of the keys, and partitions that the
   * scan does not read.
   */
  private[spark] def narrowedBy(
      keys: Seq[LateKeys],
      selectsPartition: InternalRow => Boolean): PrunedFileIndex =
    new PrunedFileIndex(
      base,
      columns,
      pruner,
      guard,
      preserveSplits,
      late ++ keys,
      selectsPartition,
      latest)

  /**
   * Returns this index, which has no late keys yet, over another base that lists the same files. The
   * copy keeps the result of the last pass.
   */
  private[spark] def withBase(other: FileIndex): PrunedFileIndex = {
    require(late.isEmpty)
    val copy = new PrunedFileIndex(other, columns, pruner, guard, preserveSplits)
    copy.latest = latest
    copy
  }

  /** Returns, for example, "; by 3 keys of a join on user_id"; empty without late keys. */
  private[spark] def lateText: String = late.map(keys => s"; by ${keys.description}").mkString

  /** Returns whether the scan may list other files when it runs. */
  private[spark] def mayListOthers: Boolean =
    base.isInstanceOf[CatalogFileIndex] || columns.listsNewest(base)

  /** Returns what the last pass found, to decide which filters parquet-mr may evaluate. */
  private[spark] def plannedScan(hasRuntimeFilters: Boolean, isTrimmed: Boolean): PlannedScan =
    PlannedScan(selection, guard, isTrimmed, mayListOthers, hasRuntimeFilters)

  /** Returns what the last pass found, None before the first pass. */
  private[spark] def selection: Option[ScanPruning] = latest.map(_.found)

  /** Returns the metrics that the scan nodes show; every later pass updates them. */
  private[spark] def metrics(context: SparkContext): ScanMetrics = synchronized {
    shown.getOrElse {
      val metrics = new ScanMetrics(context)
      selection.foreach(metrics.set)
      shown = Some(metrics)
      metrics
    }
  }

  /** Returns what tasks have read so far of the row groups that are left. */
  private[spark] def pages: PageCounts = shown.fold(PageCounts.Zero)(_.ofPages.counts)

  override def sizeInBytes: Long = selection.fold(base.sizeInBytes)(_.sizeInBytes)
  override def inputFiles: Array[String] = selection.fold(base.inputFiles)(_.inputFiles)
  override def metadataOpsTimeNs: Option[Long] = Some(
    base.metadataOpsTimeNs.getOrElse(0L) + nanos.get)

  override def equals(other: Any): Boolean = other match {
    case that: PrunedFileIndex =>
      that.base == base && that.preserveSplits == preserveSplits && that.late == late
    case _ => false
  }
  override def hashCode: Int = base.hashCode

  private def translated(dataFilters: Seq[Expression]): RowGroupPredicate =
    try columns.translate(dataFilters)
    catch {
      case RecoverableError(_) =>
        RowGroupPredicate.Unknown("the predicate could not be read")
    }

  private def select(files: IndexedSeq[FileStatus], dataFilters: Seq[Expression]): ScanPruning = {
    val lookup = columns.lookup
    val predicate = translated(dataFilters ++ late.map(_.filter))
    latest
      .filter(pass => pass.lookup == lookup && pass.isReusableFor(predicate, files, columns))
      .map(_.found)
      .getOrElse {
        val before = planned.filter(_.isReusableFor(translated(dataFilters), files, columns))
        pruned(files, predicate, lookup, before.map(_.found))
      }
  }

  /** @param before the result of a part of the predicate, which already refuted some files */
  private def pruned(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      before: Option[ScanPruning]): ScanPruning = {
    val selection =
      pruner.scan(files, predicate, lookup, before, sampleFirst = late.exists(_.needsSample))
    nanos.addAndGet(selection.nanos)
    latest = Some(Pass(lookup, selection))
    selection
  }

  /** Returns a file with what tasks need to know of its outcome. */
  private def marked(
      file: FileStatusWithMetadata,
      outcome: FilePruning,
      levelOf: FilePruning => PushdownLevel): FileStatusWithMetadata = {
    val ranges = if (outcome.isPruned) Some(Array.empty[Long]) else outcome.ranges
    val metadata = ranges.map(RowGroupRanges.Key -> _) ++
      Some(levelOf(outcome))
        .filter(_ != PushdownLevel.AnyFile)
        .map(RowGroupRanges.LevelKey -> _.toString)
    val etag = FileVersion.of(file.fileStatus).etag.map(RowGroupRanges.EtagKey -> _)
    if (metadata.isEmpty) file else file.copy(metadata = file.metadata ++ metadata ++ etag)
  }
}

private[spark] object PrunedFileIndex {

  /** A pass over files. */
  private[spark] final case class Pass(lookup: ColumnLookup, found: ScanPruning) {

    /** Settings that an index depends on may have changed since it was searched. */
    def isReusableFor(
        predicate: RowGroupPredicate,
        files: IndexedSeq[FileStatus],
        columns: FileColumns): Boolean =
      found.isReusableFor(predicate, files) && !(found.isIndexed && columns.indexDependsOnRead)
  }
}
