package io.sbbf.spark.iceberg

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.{TreeNode, TreeNodeTag}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.prune.{FooterCache, ScanPruner}
import io.sbbf.parquet.result.{ScanPruning, StorageRequirements}
import io.sbbf.spark.scan.LateKeys
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/**
 * What pruning left of a scan of an Iceberg table. Immutable.
 *
 * @param source the scan as Iceberg planned it
 * @param filters the filters on the scan that were known when the query was planned, with the
 *   columns' names in the table
 * @param late the keys that the query found while it ran
 * @param selection the outcome of each file that can be evidence
 */
private[spark] final class PrunedIcebergScan private (
    source: IcebergScan,
    val columns: IcebergColumns,
    filters: Seq[Expression],
    val late: Seq[LateKeys],
    val selection: ScanPruning) {

  def location: String = source.location

  /** Whether it leaves out files of the scan. */
  def leavesOut: Boolean = selection.keptFiles < selection.numFiles

  /** Returns the scan of the files that are left. */
  def scan: Scan = {
    val outcomes = selection.outcomes.iterator
    source.withTasks(source.tasks.filter(_.dataFile.isEmpty || !outcomes.next().isPruned))
  }

  /** Returns whether the scan was pruned by filters of the same meaning. */
  def isFor(predicate: RowGroupPredicate): Boolean = selection.predicate == predicate

  /** Returns what other filters leave of the scan as Iceberg planned it. */
  def prunedBy(filters: Seq[Expression], conf: SQLConf): Option[PrunedIcebergScan] =
    if (isFor(columns.translate(filters))) Some(this)
    else PrunedIcebergScan.of(source, columns, filters, conf)

  private def narrowedBy(keys: Seq[LateKeys], conf: SQLConf): PrunedIcebergScan =
    PrunedIcebergScan.evaluate(source, columns, filters, keys, Some(selection), conf)
}

private[spark] object PrunedIcebergScan {
  private val Tag =
    TreeNodeTag[PrunedIcebergScan]("io.sbbf.spark.iceberg.PrunedIcebergScan")

  /** Marks a node of a plan as the scan of what is left. */
  def mark(node: TreeNode[_], pruned: PrunedIcebergScan): Unit = node.setTagValue(Tag, pruned)

  /** Returns what pruning left of the scan of a node; None if the scan was not pruned. */
  def at(node: TreeNode[_]): Option[PrunedIcebergScan] = node.getTagValue(Tag)

  /**
   * Returns what the filters leave of a scan. Returns None if they cannot prune, or the scan has no
   * file that can be evidence.
   */
  def of(scan: Scan, filters: Seq[Expression], conf: SQLConf): Option[PrunedIcebergScan] = {
    val source = IcebergScan.of(scan)
    of(source, new IcebergColumns(source), filters, conf)
  }

  /**
   * Returns a scan without the files that hold none of the keys. Returns None if each file that was
   * left might hold one.
   *
   * @param planned what was left of the scan before these keys were known, if it was pruned
   */
  def narrowed(
      scan: Scan,
      planned: Option[PrunedIcebergScan],
      keys: Seq[LateKeys],
      conf: SQLConf): Option[PrunedIcebergScan] = {
    val narrower = planned match {
      case Some(before) => before.narrowedBy(keys, conf)
      case None =>
        val source = IcebergScan.of(scan)
        evaluate(source, new IcebergColumns(source), Nil, keys, None, conf)
    }
    val left = planned.fold(narrower.selection.numFiles)(_.selection.keptFiles)
    Some(narrower).filter(_.selection.keptFiles < left)
  }

  private def of(
      source: IcebergScan,
      columns: IcebergColumns,
      filters: Seq[Expression],
      conf: SQLConf): Option[PrunedIcebergScan] =
    if (!columns.translate(filters).canPrune || filesOf(source).isEmpty) None
    else Some(evaluate(source, columns, filters, Nil, None, conf))

  private def filesOf(source: IcebergScan): IndexedSeq[FileStatus] =
    source.tasks.flatMap(_.dataFile)

  /** @param before the result of a part of the predicate, which already refuted some files */
  private def evaluate(
      source: IcebergScan,
      columns: IcebergColumns,
      filters: Seq[Expression],
      late: Seq[LateKeys],
      before: Option[ScanPruning],
      conf: SQLConf): PrunedIcebergScan = {
    val started = System.nanoTime
    val predicate = columns.translate(filters ++ late.map(_.filter))
    val files = filesOf(source)
    val left = before.fold[IndexedSeq[Int]](files.indices)(_.keptIndices)
    val found = pruner(source, conf).prune(
      left.map(files),
      predicate,
      columns.lookup,
      sampleFirst = late.exists(_.areMany))
    val selection = new ScanPruning(
      predicate,
      files,
      before.fold(found.outcomes)(_.refinedBy(left, found.outcomes)),
      found.stoppedEarly,
      found.filesDeclined,
      System.nanoTime - started)
    new PrunedIcebergScan(source, columns, filters, late, selection)
  }

  /** Parquet's own encryption is not Iceberg's, so the pruner gets no keys. */
  private def pruner(source: IcebergScan, conf: SQLConf): ScanPruner =
    new ScanPruner(
      new Configuration(false),
      source.store,
      SbbfConf.limits(conf),
      FooterCache.shared,
      StorageRequirements.Empty,
      LogOnce,
      checksVersions = false)
}
