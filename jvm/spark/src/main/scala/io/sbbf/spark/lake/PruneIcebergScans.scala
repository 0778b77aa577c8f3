package io.sbbf.spark.lake

import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.iceberg.{IcebergScan, PrunedIcebergScan}
import io.sbbf.spark.scan.{FilteredScan, ObservesSplits}
import io.sbbf.spark.util.{KernelChoice, LogOnce, SbbfConf}

/**
 * Prunes the files of Iceberg tables while a query is planned, after Iceberg has planned its tasks.
 * The relation gets a copy of its scan with fewer tasks, of the same class. The scan itself stays as
 * it is, because other parts of the plan may hold it.
 */
private[spark] final class PruneIcebergScans extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf) || !SbbfConf.Iceberg.get(conf)) plan
    else {
      // the size of splits depends on the size of all files
      lazy val observesSplits = ObservesSplits.in(plan)
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan: DataSourceV2ScanRelation)
            if IcebergScan.isKnown(scan.scan) && !observesSplits =>
          val next = pruned(scan, conjuncts)
          if (next eq scan) filtered else filtered.transform { case `scan` => next }
      }
    }

  private def pruned(
      scan: DataSourceV2ScanRelation,
      conjuncts: Seq[Expression]): DataSourceV2ScanRelation = {
    KernelChoice.start()
    try {
      val static = conjuncts.filter(c => c.deterministic && !SubqueryExpression.hasSubquery(c))
      val filters = SparkInternals.normalize(static, scan.output)
      val before = PrunedIcebergScan.at(scan).getOrElse(PrunedIcebergScan.unpruned(scan.scan))
      before.prunedBy(filters, conf).filterNot(_ eq before).fold(scan)(replaced(scan, _))
    } catch {
      case RecoverableError(e) =>
        LogOnce.once(
          e.getClass.getName,
          "pruning an Iceberg table failed, so a scan reads all",
          e)
        scan
    }
  }

  private def replaced(
      relation: DataSourceV2ScanRelation,
      pruned: PrunedIcebergScan): DataSourceV2ScanRelation = {
    val next =
      if (pruned.leavesOut) SparkInternals.withArgument(relation, relation.scan, pruned.scan)
      else relation
    PrunedIcebergScan.mark(next, pruned)
    next
  }
}
