package io.sbbf.spark.pushdown

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.sources._

/**
 * Decides which filters that Spark pushes to an ORC scan ORC's reader may evaluate, so that it drops
 * no row that Spark would return. Spark evaluates every filter again above the scan.
 *
 * ORC's reader compares otherwise than Spark, and loses rows:
 *
 *   - It orders -0.0 below 0.0, and NaN equals no bound.
 *   - It orders texts by UTF-16 units, and writers by bytes. The two differ from U+D800 on.
 *   - It does not count fields of a struct that is NULL as NULL.
 */
private[spark] object OrcPushdown {

  private final val FirstSurrogate = '\ud800'

  /** Returns the filters without those that could lose rows. */
  def safe(filters: Seq[Filter]): Seq[Filter] = filters.filter(isSafe)

  private def isSafe(filter: Filter): Boolean = filter match {
    case And(left, right) => isSafe(left) && isSafe(right)
    case Or(left, right) => isSafe(left) && isSafe(right)
    case Not(child) => isSafe(child)
    case IsNull(column) => isTopLevel(column)
    case IsNotNull(column) => isTopLevel(column)
    case EqualNullSafe(column, null) => isTopLevel(column)
    case EqualNullSafe(_, value) => isComparable(value)
    case EqualTo(_, value) => isComparable(value)
    case LessThan(_, value) => isComparable(value)
    case LessThanOrEqual(_, value) => isComparable(value)
    case GreaterThan(_, value) => isComparable(value)
    case GreaterThanOrEqual(_, value) => isComparable(value)
    case In(_, values) => values.forall(isComparable)
    // ORC's reader evaluates no others
    case _ => true
  }

  private def isComparable(value: Any): Boolean = value match {
    case number: Float => number != 0.0f && !number.isNaN
    case number: Double => number != 0.0 && !number.isNaN
    case text: String => text.forall(_ < FirstSurrogate)
    case _ => true
  }

  private def isTopLevel(column: String): Boolean =
    UnresolvedAttribute.parseAttributeName(column).size == 1
}
