package io.sbbf.spark.pushdown

import java.time.{Instant, LocalDate, LocalDateTime, ZoneId}

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.sources._

/**
 * Decides which filters that Spark pushes to an ORC scan ORC's reader may evaluate, so that it drops
 * no row that Spark would return. Spark evaluates every filter again above the scan.
 *
 * ORC's reader compares otherwise than Spark, and loses rows, or Spark fails to translate a filter:
 *
 *   - FLOAT and DOUBLE: it orders -0.0 below 0.0, and NaN equals no bound.
 *   - Texts: it orders them by UTF-16 units, writers by bytes, and what is not UTF-8 by a
 *     replacement. Bounds are cut after 1,024 bytes. Short ASCII texts are right.
 *   - Timestamps: bounds are local times, of which clocks repeat some.
 *   - Dates before 1582-10-25: filters hold Julian days.
 *   - NULL: it does not count fields of a struct that is NULL; Spark fails at NULL in a list.
 */
private[spark] object OrcPushdown {

  private val FirstGregorianDay = LocalDate.of(1582, 10, 25)
  private final val FirstNonAscii = '\u0080'
  private final val LongestText = 1000

  /** Returns the filters without those that could lose rows. */
  def safe(filters: Seq[Filter]): Seq[Filter] = filters.filter(isSafe(_, isNegated = false))

  private def isSafe(filter: Filter, isNegated: Boolean): Boolean = filter match {
    case And(left, right) => isSafe(left, isNegated) && isSafe(right, isNegated)
    case Or(left, right) => isSafe(left, isNegated) && isSafe(right, isNegated)
    case Not(child) => isSafe(child, !isNegated)
    case IsNull(column) => isTopLevel(column)
    case IsNotNull(column) => isTopLevel(column)
    case EqualNullSafe(column, null) => !isNegated && isTopLevel(column)
    // ORC had NULL as its result for NULL (ORC-1898)
    case EqualNullSafe(_, value) => !isNegated && isComparable(value)
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
    case null => false
    case number: Float => number != 0.0f && !number.isNaN
    case number: Double => number != 0.0 && !number.isNaN
    case text: String => text.length < LongestText && text.forall(_ < FirstNonAscii)
    case day: LocalDate => !day.isBefore(FirstGregorianDay)
    case day: java.sql.Date => isComparable(day.toLocalDate)
    case _: java.sql.Timestamp | _: Instant | _: LocalDateTime =>
      ZoneId.systemDefault.getRules.isFixedOffset
    case _ => true
  }

  private def isTopLevel(column: String): Boolean =
    UnresolvedAttribute.parseAttributeName(column).size == 1
}
