package io.sbbf.spark.files

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.pages.PageCounts
import io.sbbf.spark.pushdown.ReadPolicy
import io.sbbf.spark.scan.{PrunableScan, PrunedTable}
import io.sbbf.spark.util.SbbfConf

/**
 * A relation of files in a logical plan. Spark considers all formats of a class equal, so the
 * optimizer notices only the changed index of a pruned one.
 *
 * @param conf the settings of the session that plans the query
 */
private[files] final class FilesScan(
    format: FilesFormat,
    scan: LogicalRelation,
    files: HadoopFsRelation,
    conf: SQLConf)
    extends PrunableScan {

  override def name: String = roots.mkString(", ")
  override def roots: Seq[Path] = files.location.rootPaths
  override lazy val columns: ScanColumns = format.columns(files)

  override def whyNever(observesSplits: => Boolean): Option[String] =
    if (scan.isStreaming) Some("a streaming source") else format.whyNever(files, conf)

  override def whyNoEvidence: Option[String] = format.whyNoEvidence(files, conf)

  override def prunedBy(conjuncts: Seq[Expression], observesSplits: => Boolean): LeafNode = {
    lazy val filters = new ScanFilters(scan, files, columns, conjuncts)
    PrunedFileScan.unapply(scan) match {
      case Some((_, index))
          if format.decidesByOptions && !SourceFormat.isTrimmed(files.fileFormat) =>
        val planned = index.plannedScan(filters.hasSubqueries, isTrimmed = false)
        val policy = filters.guard.decide(planned, isSafe = SbbfConf.SafeRead.get(conf))
        withOptions(policy.options)
      case Some(_) => scan
      case None =>
        listed(filters, observesSplits).fold(scan)(
          format.withIndex(scan, files, _, conf, filters.hasSubqueries))
    }
  }

  /**
   * Returns an index that has listed what the filters leave. Returns None if the filters can neither
   * prune nor make parquet-mr lose rows.
   */
  private def listed(
      filters: ScanFilters,
      observesSplits: => Boolean): Option[PrunedFileIndex] = {
    val guard = filters.guard
    val isUseless =
      (!SbbfConf.SafeRead.get(conf) || guard.withholdsNothing) && !filters.canPrune
    // Spark's own format would read what is left out of a plan that preserves splits
    if (isUseless || whyNoEvidence.nonEmpty || format.needsIndex && observesSplits) None
    else {
      val index = format.index(files, guard, observesSplits, conf)
      QueryHistory.remember(scan, files, index.prune(filters.ofPartitions, filters.ofData))
      Some(index)
    }
  }

  /** It is unknown which checks are safe. */
  override def unpruned: LeafNode =
    if (SbbfConf.SafeRead.get(conf)) withOptions(ReadPolicy.NoParquetFilters) else scan

  private def withOptions(options: Map[String, String]): LogicalRelation =
    if (options.forall { case (key, value) => files.options.get(key).contains(value) }) scan
    else
      scan.copy(relation =
        SparkInternals.withFiles(files, files.location, files.fileFormat, options))

  override def outcome(running: Seq[SparkPlan]): Option[PrunedTable] = {
    val indexes = running.collect { case node: FileSourceScanExec => node.relation.location }
    val pruned = indexes.collect { case index: PrunedFileIndex => index }
    // late keys, choices of pages, and those rules that Delta needs, show in the physical plan alone
    val shown = pruned.find(_.late.nonEmpty).orElse(pruned.find(_.pages != PageCounts.Zero))
    if (pruned.size < indexes.size) None
    else
      for {
        index <- shown.orElse(PrunedFileScan.unapply(scan).map(_._2))
        selection <- index.selection
      } yield PrunedTable(
        index.rootPaths.map(_.toString),
        columns,
        selection,
        index.late,
        index.pages)
  }
}
