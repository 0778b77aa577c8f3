package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.{KernelChoice, LogOnce, SbbfConf}

/**
 * Prunes scans while a query is planned: leaves out files, row groups and stripes that their own
 * statistics, dictionaries and bloom filters refute, or the index of the table.
 *
 * {{{
 *   Filter (user_id = 42)                       Filter (user_id = 42)
 *     LogicalRelation                   ==>       LogicalRelation
 *       location: InMemoryFileIndex                 location: PrunedFileIndex(InMemoryFileIndex)
 *       fileFormat: ParquetFileFormat               fileFormat: PrunedParquetFormat
 * }}}
 *
 * The filter stays: the scan only loses rows that the filter would remove. An error while pruning
 * leaves out nothing.
 *
 * @param formats the formats whose scans are pruned; the first that knows a scan prunes it
 */
private[spark] final class PruneRowGroups(formats: Seq[ScanFormat]) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else {
      val listed = formats.filter(_.isListedIn(plan))
      lazy val observesSplits = ObservesSplits.in(plan)
      // includes copies of scans that select partitions and rows of other scans at run time
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, leaf) =>
          ScanFormat
            .scanOf(listed, leaf, conf)
            .map(pruned(_, leaf, conjuncts, observesSplits))
            .filterNot(_ eq leaf)
            .fold(filtered)(next => filtered.transform { case `leaf` => next })
      }
    }

  private def pruned(
      scan: PrunableScan,
      leaf: LeafNode,
      conjuncts: Seq[Expression],
      observesSplits: => Boolean): LeafNode =
    try
      if (scan.whyNever(observesSplits).isDefined) leaf
      else {
        KernelChoice.start()
        scan.prunedBy(conjuncts, observesSplits)
      }
    catch {
      case RecoverableError(e) =>
        LogOnce.once(e.getClass.getName, "pruning failed, so a scan is planned without it", e)
        scan.unpruned
    }
}
