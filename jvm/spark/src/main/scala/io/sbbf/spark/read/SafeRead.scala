package io.sbbf.spark.read

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, IsNull}
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types.{DoubleType, FloatType}

/**
 * Which floating-point predicates must not reach stock Parquet's own checks. Those compare raw bits or Java's
 * total order, where Spark has 0.0 = -0.0 and NaN above all: a filter or a dictionary with -0.0 loses `= 0.0`
 * and `>= 0.0`; statistics, which leave NaN out, lose `> x` and `<> x`. Spark evaluates every predicate again
 * above the scan, so handing one down less only reads more.
 */
private[spark] object SafeRead {

  /** The Hadoop keys of every level at which parquet-mr drops row groups, pages or rows. */
  val LevelsOff: Map[String, String] =
    Seq("stats", "dictionary", "bloom", "columnindex", "record-level")
      .map(l => s"parquet.filter.$l.enabled" -> "false")
      .toMap

  /** Whether `condition` may compare a floating-point column in a way that stock would evaluate wrongly. */
  def concerns(condition: Expression): Boolean = condition match {
    case IsNull(_) | IsNotNull(_) => false
    case e => isFloating(e) || e.children.exists(concerns)
  }

  /** The filters that stock may be handed: those that it evaluates as Spark does. */
  def allowed(filters: Seq[Filter]): Seq[Filter] = filters.filter(isSafe)

  private def isSafe(filter: Filter): Boolean = filter match {
    case And(left, right) => isSafe(left) && isSafe(right)
    case Or(left, right) => isSafe(left) && isSafe(right)
    case EqualTo(_, value) => isOrdinary(value)
    case EqualNullSafe(_, value) => isOrdinary(value)
    case In(_, values) => values.forall(isOrdinary)
    case LessThan(_, value) => isOrdinary(value)
    case LessThanOrEqual(_, value) => isOrdinary(value)
    case other => !mentionsFloat(other)
  }

  /** Neither a zero, of which there are two, nor NaN. */
  private def isOrdinary(value: Any): Boolean = value match {
    case f: Float => f != 0.0f && !f.isNaN
    case d: Double => d != 0.0 && !d.isNaN
    case _ => true
  }

  private def mentionsFloat(filter: Filter): Boolean = filter match {
    case Not(child) => mentionsFloat(child)
    case And(left, right) => mentionsFloat(left) || mentionsFloat(right)
    case Or(left, right) => mentionsFloat(left) || mentionsFloat(right)
    case In(_, values) => values.exists(isFloat)
    case EqualTo(_, value) => isFloat(value)
    case EqualNullSafe(_, value) => isFloat(value)
    case LessThan(_, value) => isFloat(value)
    case LessThanOrEqual(_, value) => isFloat(value)
    case GreaterThan(_, value) => isFloat(value)
    case GreaterThanOrEqual(_, value) => isFloat(value)
    case _ => false
  }

  private def isFloat(value: Any): Boolean =
    value.isInstanceOf[Float] || value.isInstanceOf[Double]

  private def isFloating(e: Expression): Boolean =
    e.resolved && (e.dataType == DoubleType || e.dataType == FloatType)
}
