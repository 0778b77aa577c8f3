package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources._

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.files.{PrunedFileIndex, SourceFormat}
import io.sbbf.spark.pushdown.ReadPolicy
import io.sbbf.spark.util.{KernelChoice, LogOnce, SbbfConf}

/**
 * Prunes scans of files while a query is planned: leaves out files, row groups and stripes that their
 * own statistics, dictionaries and bloom filters refute, or the index of the table.
 *
 * {{{
 *   Filter (user_id = 42)                       Filter (user_id = 42)
 *     LogicalRelation                   ==>       LogicalRelation
 *       location: InMemoryFileIndex                 location: PrunedFileIndex(InMemoryFileIndex)
 *       fileFormat: ParquetFileFormat               fileFormat: PrunedParquetFormat
 * }}}
 *
 * The filter stays: the relation only loses rows that the filter would remove. A pruned relation
 * is not pruned again, even if Spark adds filters above it later. An error while pruning leaves
 * out nothing.
 */
final class PruneRowGroups extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else {
      lazy val preserveSplits = ObservesSplits.in(plan)
      // includes copies of scans that select partitions and rows of other scans at run time
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan: LogicalRelation) if isPrunable(scan) =>
          val next =
            try {
              KernelChoice.start()
              filesOf(scan).location match {
                case _: PrunedFileIndex if SourceFormat.needsIndex(filesOf(scan).fileFormat) =>
                  scan
                case index: PrunedFileIndex =>
                  val filters = new ScanFilters(scan, filesOf(scan), conjuncts)
                  val planned = index.plannedScan(filters.hasSubqueries, isTrimmed = false)
                  withOptions(scan, filters.guard.decide(planned, isSafe).options)
                case _ => prune(scan, conjuncts, preserveSplits)
              }
            } catch {
              case RecoverableError(e) =>
                LogOnce
                  .once(e.getClass.getName, "pruning failed, so a scan is planned without it", e)
                // it is unknown which checks are safe
                if (isSafe) withOptions(scan, ReadPolicy.NoParquetFilters) else scan
            }
          filtered.transform { case `scan` => next }
      }
    }

  /** Returns whether the scan is a batch scan in one of Spark's own formats. */
  private def isPrunable(scan: LogicalRelation): Boolean =
    !scan.isStreaming && (scan.relation match {
      case files: HadoopFsRelation =>
        SourceFormat.isPrunable(files.fileFormat, conf) && !SourceFormat.isTrimmed(
          files.fileFormat)
      case _ => false
    })

  private def filesOf(scan: LogicalRelation): HadoopFsRelation =
    scan.relation.asInstanceOf[HadoopFsRelation]

  private def withOptions(
      scan: LogicalRelation,
      options: Map[String, String]): LogicalRelation = {
    val files = filesOf(scan)
    if (options.forall { case (key, value) => files.options.get(key).contains(value) }) scan
    else scan.copy(relation = files.copy(options = files.options ++ options)(files.sparkSession))
  }

  /** @param preserveSplits whether the query can see how files are cut into splits */
  private def prune(
      scan: LogicalRelation,
      conjuncts: Seq[Expression],
      preserveSplits: => Boolean): LogicalRelation = {
    val files = filesOf(scan)
    val filters = new ScanFilters(scan, files, conjuncts)
    val pruned = new PrunedRelation(files, conf)
    pruned
      .listed(scan, filters, preserveSplits)
      .fold(scan)(index => pruned.scanOf(scan, index, pruned.of(index, filters.hasSubqueries)))
  }

  private def isSafe: Boolean = SbbfConf.SafeRead.get(conf)
}
