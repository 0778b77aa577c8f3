package io.sbbf.spark.lake

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.scan._
import io.sbbf.spark.util.{KernelChoice, SbbfConf}

/**
 * Prunes the files of Delta tables at the end of the optimizer, after Delta's own data skipping.
 * The relation keeps Delta's index, with the size of what is left: Delta's planner recognizes the
 * index by its class, to leave out deleted rows. [[ReadPrunedDeltaFiles]] replaces the index in
 * the physical plan.
 */
private[spark] final class PruneDeltaScans extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf) || !SbbfConf.Delta.get(conf)) plan
    else {
      lazy val preserveSplits = ObservesSplits.in(plan)
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan @ UnprunedDelta(files)) =>
          val next = pruned(scan, files, conjuncts, preserveSplits)
          filtered.transform { case `scan` => next }
      }
    }

  private object UnprunedDelta {
    def unapply(scan: LogicalRelation): Option[HadoopFsRelation] = scan.relation match {
      case files: HadoopFsRelation
          if DeltaRelation.is(files) && DeltaRelation.isKnown(files.location) &&
            !scan.isStreaming && PrunedScan.unapply(scan).isEmpty =>
        Some(files)
      case _ => None
    }
  }

  /** The name of an option that nothing reads. */
  private final val Marker = "spark.sbbf.pruned"

  private def pruned(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      conjuncts: Seq[Expression],
      preserveSplits: Boolean): LogicalRelation = {
    val filters = new ScanFilters(scan, files, conjuncts)
    val guard = filters.guard
    if ((!SbbfConf.SafeRead.get(conf) || guard.withholdsNothing) && !filters.canPrune) scan
    else {
      KernelChoice.start()
      val index = new PrunedRelation(files, conf).index(guard, preserveSplits)
      index.listFiles(filters.ofPartitions, filters.ofData)
      index.selection.foreach(QueryHistory.remember(scan, _))
      val resized = DeltaRelation.withSize(files.location, index.sizeInBytes)
      // the option makes the relation another one, so that the optimizer takes the marked copy
      val marked = files.copy(
        location = resized.getOrElse(files.location),
        options = files.options + (Marker -> "true"))(files.sparkSession)
      val next = scan.copy(relation = marked)
      PrunedScan.mark(next, index)
      next
    }
  }
}
