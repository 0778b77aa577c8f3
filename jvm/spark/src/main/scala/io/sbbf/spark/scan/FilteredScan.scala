package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.LogicalRelation

/**
 * A filter over a scan: what Spark's planner will hand down to it. Columns may have been left out or named anew in
 * between.
 */
private[spark] object FilteredScan {

  /** The conjuncts of all filters from this one down, in the scan's own columns, and the scan. */
  def unapply(plan: LogicalPlan): Option[(Seq[Expression], LogicalRelation)] = plan match {
    case PhysicalOperation(_, filters, scan: LogicalRelation) if plan.isInstanceOf[Filter] =>
      Some((filters, scan))
    case _ => None
  }

  /** Of a plan and its subqueries, each scan once. */
  def all(plan: LogicalPlan): Seq[(Seq[Expression], LogicalRelation)] =
    plan
      .collectWithSubqueries { case FilteredScan(conjuncts, scan) => (conjuncts, scan) }
      .foldLeft(Vector.empty[(Seq[Expression], LogicalRelation)]) { (found, next) =>
        // of filters upon filters the outermost comes first
        if (found.exists(_._2 eq next._2)) found else found :+ next
      }
}
