package io.sbbf.spark.iceberg

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.{TreeNode, TreeNodeTag}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.prune.{FooterCache, ListingPruner, ParquetEvaluators}
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning}
import io.sbbf.spark.scan.LateKeys
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/**
 * What pruning left of a scan of an Iceberg table. Immutable.
 *
 * @param source the scan as Iceberg planned it
 * @param filters the filters on the scan that were known when the query was planned, with the
 *   columns' names in the table
 * @param late the keys that the query found while it ran
 * @param found the outcome of each file that can be evidence
 * @param generation how often the scan was pruned
 */
private[iceberg] final class PrunedIcebergScan private (
    source: IcebergScan,
    val columns: IcebergColumns,
    filters: Seq[Expression],
    val late: Seq[LateKeys],
    found: => ScanPruning,
    generation: Int) {
  import PrunedIcebergScan._

  /** The outcome of each file that can be evidence. */
  lazy val selection: ScanPruning = found

  def location: String = source.location

  /** Returns whether a file of the scan can be evidence. Plans the tasks. */
  def hasEvidence: Boolean = source.evidence.nonEmpty

  /** Whether it leaves out files of the scan. */
  def leavesOut: Boolean = selection.keptFiles < selection.numFiles

  /** Returns the scan of the files that are left. */
  def scan: Scan = {
    val outcomes = selection.outcomes.iterator
    val kept = source.tasks.filter(_.dataFile.isEmpty || !outcomes.next().isPruned)
    source.withTasks(kept, generation)
  }

  /** Returns what other filters leave of the scan as Iceberg planned it, None if they cannot prune. */
  def prunedBy(others: Seq[Expression], conf: SQLConf): Option[PrunedIcebergScan] = {
    val predicate = columns.translate(others)
    if (!predicate.canPrune || !hasEvidence) None
    else if (predicate == selection.predicate) Some(this)
    else Some(next(others, Nil, evaluate(source, columns, predicate, conf)))
  }

  /**
   * Returns the scan without the files that hold none of the keys, None if each file that is left
   * might hold one.
   */
  def narrowedBy(keys: Seq[LateKeys], conf: SQLConf): Option[PrunedIcebergScan] = {
    // the node with this mark may stand below other filters unless its scan was replaced
    val known = if (leavesOut) filters else Nil
    val predicate = columns.translate(known ++ keys.map(_.filter))
    val needsSample = keys.exists(_.needsSample)
    val found = evaluate(source, columns, predicate, conf, Some(selection), needsSample)
    Some(next(filters, keys, found)).filter(_.selection.keptFiles < selection.keptFiles)
  }

  private def next(
      filters: Seq[Expression],
      late: Seq[LateKeys],
      found: ScanPruning): PrunedIcebergScan =
    new PrunedIcebergScan(source, columns, filters, late, found, generation + 1)
}

private[iceberg] object PrunedIcebergScan {
  private val Tag =
    TreeNodeTag[PrunedIcebergScan]("io.sbbf.spark.iceberg.PrunedIcebergScan")

  /** Marks a node of a plan as the scan of what is left. */
  def mark(node: TreeNode[_], pruned: PrunedIcebergScan): Unit = node.setTagValue(Tag, pruned)

  /** Returns what pruning left of the scan of a node; None if the scan was not pruned. */
  def at(node: TreeNode[_]): Option[PrunedIcebergScan] = node.getTagValue(Tag)

  /**
   * Returns a scan of which nothing is pruned yet. Does not plan its tasks.
   *
   * @throws NoSuchMethodException if the scan has another shape than in the known versions
   */
  def unpruned(scan: Scan): PrunedIcebergScan = {
    val source = new IcebergScan(scan)
    def all = {
      val outcomes =
        source.evidence.map(f => FilePruning.keepAll(f.getLen, ScanPruning.NoUsableLeaf))
      new ScanPruning(RowGroupPredicate.True, source.evidence, PrunedFiles(outcomes), nanos = 0)
    }
    new PrunedIcebergScan(source, new IcebergColumns(source), Nil, Nil, all, generation = 0)
  }

  /**
   * @param before the result of a part of the predicate, which already refuted some files
   * @param sampleFirst whether evaluating the predicate takes long
   */
  private def evaluate(
      source: IcebergScan,
      columns: IcebergColumns,
      predicate: RowGroupPredicate,
      conf: SQLConf,
      before: Option[ScanPruning] = None,
      sampleFirst: Boolean = false): ScanPruning =
    pruner(source, conf).scan(source.evidence, predicate, columns.lookup, before, sampleFirst)

  /** Parquet's own encryption is not Iceberg's, so the pruner gets no keys. */
  private def pruner(source: IcebergScan, conf: SQLConf): ListingPruner =
    new ListingPruner(
      source.session.fold(RowGroupIndex.Empty)(session =>
        TableIndex.ofLake(new Path(source.location), session.sessionState.newHadoopConf(), conf)),
      Some(
        new ParquetEvaluators(
          new Configuration(false),
          source.store,
          FooterCache.shared,
          LogOnce,
          checksVersions = false)),
      SbbfConf.limits(conf),
      LogOnce
    )
}
