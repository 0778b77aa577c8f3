package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LeafNode, LogicalPlan}

/**
 * Matches a filter above a scan, whose conjuncts Spark's planner will push down. Projections
 * between the two may drop or rename columns.
 */
private[spark] object FilteredScan {

  /**
   * Returns the scan and the conjuncts of all filters from this one down to it, in terms of the
   * scan's own columns.
   */
  def unapply(plan: LogicalPlan): Option[(Seq[Expression], LeafNode)] = plan match {
    case PhysicalOperation(_, filters, scan: LeafNode) if plan.isInstanceOf[Filter] =>
      Some((filters, scan))
    case _ => None
  }

  /** Returns the filtered scans of a plan and its subqueries, each scan once. */
  def all(plan: LogicalPlan): Seq[(Seq[Expression], LeafNode)] =
    plan
      .collectWithSubqueries { case FilteredScan(conjuncts, scan) => (conjuncts, scan) }
      .foldLeft(Vector.empty[(Seq[Expression], LeafNode)]) { (found, next) =>
        // the outermost of nested filters comes first
        if (found.exists(_._2 eq next._2)) found else found :+ next
      }
}
