package io.sbbf.spark.predicate.cast

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.{And, Or}
import io.sbbf.spark.column.Column
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * Translates comparisons of a cast, or of casts of casts, under which a greater value never
 * becomes a smaller one.
 *
 * Such a comparison equals one of the column with the value at which the result changes.
 * Bisection finds that value. Values outside `domain.low` to `domain.high` may make the cast NULL
 * or raise an error.
 *
 * @param cast the cast, applied to the first column of a row
 */
private[spark] final class MonotoneCast private (
    column: Column,
    cast: Cast,
    domain: OrdinalDomain)
    extends InvertibleExpression(column) {
  import MonotoneCast._

  private val row = new GenericInternalRow(1)

  private def eval(e: Expression, value: Any): Try[Any] = {
    row.update(0, value)
    Try(e.eval(row))
  }
  private def isDefined(key: BigInt): Boolean = eval(cast, domain(key)).toOption.exists(_ != null)
  private def raises(key: BigInt): Boolean = eval(cast, domain(key)).isFailure

  // the cast gives a value from `low` to `high`: an interval around 0, or an empty one
  private val high =
    if (isDefined(domain.high)) domain.high else least(0, domain.high)(!isDefined(_)) - 1
  private val low =
    if (isDefined(domain.low)) domain.low else least(domain.low, 0)(isDefined)

  override def less(than: Any, orEqual: Boolean): RowGroupPredicate =
    decide(if (orEqual) LessThanOrEqual(cast, literal(than)) else LessThan(cast, literal(than)))(
      upTo(first(than, orEqual)))

  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate =
    decide(
      if (orEqual) GreaterThanOrEqual(cast, literal(than))
      else GreaterThan(cast, literal(than)))(from(first(than, !orEqual)))

  override def oneOf(values: Seq[Any]): RowGroupPredicate =
    decide(In(cast, values.map(literal))) {
      val (points, ranges) = values.map(interval).partition(isShort)
      val beyond = points.exists { case (a, b) => b > high || a <= low }
      Or(
        in(points.flatMap(numbers)) +:
          (if (beyond) Seq(domain.nothing) else Nil) ++:
          ranges.map { case (a, b) => And(Seq(from(a), upTo(b))) })
    }

  override def noneOf(values: Seq[Any]): RowGroupPredicate = {
    val (points, ranges) = values.map(interval).partition(isShort)
    val excluded = notIn(points.flatMap(numbers))
    if (ranges.isEmpty && !domain.hasNaN) orRaises(excluded)
    else
      decide(Not(In(cast, values.map(literal))))(And(excluded +: ranges.map { case (a, b) =>
        Or(Seq(upTo(a), from(b)))
      }))
  }

  private def literal(value: Any): Literal = Literal(value, cast.dataType)

  /**
   * Returns `predicate`, or Untranslatable if NaN may satisfy `comparison`. Evidence leaves NaN
   * out, so it cannot refute that comparison.
   */
  private def decide(
      comparison: Expression)(predicate: => RowGroupPredicate): RowGroupPredicate = {
    val takesNaN = domain.hasNaN &&
      !eval(comparison, domain.nan).toOption.exists(answer => answer == null || answer == false)
    if (takesNaN) Untranslatable else orRaises(predicate)
  }

  /**
   * Whether some casts of casts raise errors and others give NULL. The values that raise may then
   * lie anywhere outside of those that the casts accept.
   */
  private lazy val mixesModes: Boolean =
    cast.collect { case inner: Cast => inner.evalMode }.distinct.size > 1

  /**
   * Returns `predicate`, extended to keep row groups in which the cast may raise an error. Casts
   * of casts may give NULL at the domain's ends and raise only next to the values that they
   * accept.
   */
  private def orRaises(predicate: RowGroupPredicate): RowGroupPredicate = {
    val raisesBelow =
      raises(domain.low) || low > domain.low && (mixesModes || raises(low - 1))
    val raisesAbove =
      raises(domain.high) || high < domain.high && (mixesModes || raises(high + 1))
    val arms =
      (if (raisesBelow) Seq(below(domain(low), orEqual = false)) else Nil) ++
        (if (raisesAbove) Seq(above(domain(high), orEqual = false)) else Nil)
    if (arms.isEmpty) predicate else Or(predicate +: arms)
  }

  /**
   * Returns the first number whose value is cast to at least `value`, or with `after` above it.
   */
  private def first(value: Any, after: Boolean): BigInt = {
    val reaches =
      if (after) GreaterThan(cast, literal(value)) else GreaterThanOrEqual(cast, literal(value))
    least(low, high + 1)(key => key > high || eval(reaches, domain(key)).toOption.contains(true))
  }

  /** Returns the first number whose value is cast to `value`, and the number after the last. */
  private def interval(value: Any): (BigInt, BigInt) =
    (first(value, after = false), first(value, after = true))

  private def isShort(interval: (BigInt, BigInt)): Boolean =
    interval._2 - interval._1 <= MaxPoints

  private def numbers(interval: (BigInt, BigInt)): Seq[Any] =
    Iterator.iterate(interval._1)(_ + 1).takeWhile(_ < interval._2).map(domain(_)).toIndexedSeq

  /** Returns the test that the column's value has a number below `end`. */
  private def upTo(end: BigInt): RowGroupPredicate =
    if (end > domain.high) present
    else if (end <= low) domain.nothing
    else below(domain(end - 1), orEqual = true)

  private def from(start: BigInt): RowGroupPredicate =
    if (start <= domain.low) present
    else if (start > high) domain.nothing
    else if (domain.hasNaN) Untranslatable
    else above(domain(start), orEqual = true)
}

private[spark] object MonotoneCast {

  /**
   * The most neighbouring values to list one by one. Bloom filters can decide lists, not ranges.
   */
  private val MaxPoints = 2048

  def of(column: Column, cast: Cast): Option[MonotoneCast] =
    if (isMonotone(cast)) OrdinalDomain.of(column.dataType).map(new MonotoneCast(column, cast, _))
    else None

  private def least(from: BigInt, until: BigInt)(holds: BigInt => Boolean): BigInt =
    if (from == until) until
    else {
      val middle = from + (until - from) / 2
      if (holds(middle)) least(from, middle)(holds) else least(middle + 1, until)(holds)
    }

  private def isMonotone(e: Expression): Boolean = e match {
    case cast: Cast =>
      isMonotone(cast.child) && isMonotone(
        cast.child.dataType,
        cast.dataType,
        wraps = cast.evalMode == EvalMode.LEGACY)
    case _ => true
  }

  /**
   * Returns whether a cast between the types never turns a greater value into a smaller one.
   *
   * @param wraps whether an integer too large for its type becomes another one, rather than NULL
   *   or an error
   */
  private def isMonotone(from: DataType, to: DataType, wraps: Boolean): Boolean =
    (from, to) match {
      case (Integers(small), Integers(large)) if to != BooleanType => !wraps || small <= large
      case (Integers(_), FloatType | DoubleType | _: DecimalType) => true
      case (ByteType | ShortType | IntegerType | LongType, TimestampType) => true
      case (FloatType | DoubleType, FloatType | DoubleType) => true
      case (FloatType | DoubleType, IntegerType | LongType) => true // out of range: the last one
      case (FloatType | DoubleType, ByteType | ShortType) => !wraps
      case (_: DecimalType, FloatType | DoubleType | _: DecimalType) => true
      case (d: DecimalType, Integers(digits)) if to != BooleanType =>
        !wraps || d.precision - d.scale < digits
      case (TimestampType, LongType | DoubleType) => true
      case (DateType, TimestampType | TimestampNTZType) | (TimestampNTZType, DateType) => true
      case _ => false
    }

  /** Matches integer types, with the number of decimal digits of their greatest value. */
  private object Integers {
    def unapply(dataType: DataType): Option[Int] = dataType match {
      case BooleanType => Some(1)
      case ByteType => Some(3)
      case ShortType => Some(5)
      case IntegerType => Some(10)
      case LongType => Some(19)
      case _ => None
    }
  }
}
