package io.sbbf.spark.lake

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  LeafNode,
  LogicalPlan,
  Subquery,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.pushdown.ReadPolicy
import io.sbbf.spark.scan.{FilteredScan, ObservesSplits, PrunedRelation, PrunedScan, ScanFilters}
import io.sbbf.spark.util.{KernelChoice, LogOnce, SbbfConf}

/**
 * Prunes the files of Delta tables at the end of the optimizer, after Delta's own data skipping.
 * The relation keeps Delta's index, with the size of what is left: Delta's planner recognizes the
 * index by its class, to leave out deleted rows. [[ReadPrunedDeltaFiles]] replaces the index in
 * the physical plan.
 */
private[spark] final class PruneDeltaScans extends Rule[LogicalPlan] {
  import PruneDeltaScans.Pruned

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf) || !SbbfConf.Delta.get(conf) || isPlannedLater(plan)) plan
    else {
      lazy val preserveSplits = ObservesSplits.in(plan)
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, UnprunedDelta(scan, files)) =>
          val next = pruned(scan, files, conjuncts, preserveSplits)
          filtered.transform { case `scan` => next }
      }
    }

  /**
   * Returns whether Delta has not chosen the files: it chooses those of subqueries with the query
   * around them. It leaves writes alone, and plans the query of its own ones again.
   */
  private def isPlannedLater(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery | _: V2WriteCommand => true
    case _ => false
  }

  private object UnprunedDelta {
    def unapply(leaf: LeafNode): Option[(LogicalRelation, HadoopFsRelation)] = leaf match {
      case scan: LogicalRelation if !scan.isStreaming && PrunedScan.unapply(scan).isEmpty =>
        scan.relation match {
          case files: HadoopFsRelation
              if DeltaRelation.isDelta(files) && DeltaRelation.listsDataFiles(files.location) =>
            Some((scan, files))
          case _ => None
        }
      case _ => None
    }
  }

  private def pruned(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      conjuncts: Seq[Expression],
      preserveSplits: => Boolean): LogicalRelation = {
    KernelChoice.start()
    try {
      val pruned = new PrunedRelation(files, conf)
      pruned
        .listed(scan, new ScanFilters(scan, files, conjuncts), preserveSplits)
        .fold(scan) { index =>
          val next = pruned.scanOf(scan, index, resized(files, index))
          PrunedScan.mark(next, index)
          next
        }
    } catch {
      case RecoverableError(e) =>
        LogOnce.once(e.getClass.getName, "pruning a Delta table failed, so a scan reads all", e)
        // it is unknown which checks are safe
        if (SbbfConf.SafeRead.get(conf)) scan.copy(relation = withoutParquetFilters(files))
        else scan
    }
  }

  /** Returns a copy of the relation with the size of what is left. */
  private def resized(files: HadoopFsRelation, index: PrunedFileIndex): HadoopFsRelation = {
    val location = DeltaRelation.withSize(files.location, index.sizeInBytes)
    files.copy(
      location = location.getOrElse(files.location),
      options = files.options + (Pruned -> "true"))(files.sparkSession)
  }

  private def withoutParquetFilters(files: HadoopFsRelation): HadoopFsRelation =
    files.copy(options = files.options ++ ReadPolicy.NoParquetFilters)(files.sparkSession)
}

private object PruneDeltaScans {

  /** An option that nothing reads: the optimizer would drop a copy that equals the original. */
  final val Pruned = "spark.sbbf.pruned"
}
