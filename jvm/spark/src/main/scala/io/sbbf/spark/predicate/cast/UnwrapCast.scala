package io.sbbf.spark.predicate.cast

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.spark.column.CatalystExtractors.{Comparison, Constant, Constants}
import io.sbbf.spark.column.ColumnExtractor

/**
 * Translates comparisons of a cast or padded column with literals into comparisons of the column
 * itself, which evidence in files can decide. Examples are `CAST(id AS DOUBLE) = 5.0`,
 * `CAST(ts AS DATE) = DATE'2024-05-01'` and `CAST(id AS STRING) = '42'`.
 *
 * The result is TRUE for every row for which the expression is TRUE or the cast raises an error.
 * The exception is an error for an instant within a day of the ends of a Long's microseconds,
 * where time zones cannot be computed. Spark's own [[Cast]] evaluates the casts, in the
 * expression's mode and time zone.
 */
private[spark] final class UnwrapCast(ColumnOf: ColumnExtractor) {
  import UnwrapCast._

  /**
   * Returns the predicate of `expression`, or with `negate` of NOT `expression`. None if it is no
   * such comparison, or if nothing is known of it.
   */
  def translate(expression: Expression, negate: Boolean): Option[RowGroupPredicate] =
    Some(read(expression, negate)).filter(_ != Untranslatable)

  private def read(expression: Expression, negate: Boolean): RowGroupPredicate =
    expression match {
      case Comparison(Derived(c), comparison, Constant(Literal(v, _))) =>
        compare(c, comparison, v, negate)
      case sql.In(Derived(c), Constants(values)) => oneOf(c, someOf(values, negate), negate)
      case sql.InSet(Derived(c), values) => oneOf(c, someOf(values.toSeq, negate), negate)
      case _ => Untranslatable
    }

  /** @param comparison the comparison whose operator counts, with the cast on its left side */
  private def compare(
      c: InvertibleExpression,
      comparison: Expression,
      v: Any,
      negate: Boolean): RowGroupPredicate = comparison match {
    case _ if v == null => Untranslatable
    case sql.EqualTo(_, _) => oneOf(c, Seq(v), negate)
    // NOT of <=> is also TRUE where a cast gives NULL
    case sql.EqualNullSafe(_, _) if !negate => oneOf(c, Seq(v), negate)
    case sql.LessThan(_, _) =>
      if (negate) c.greater(v, orEqual = true) else c.less(v, orEqual = false)
    case sql.LessThanOrEqual(_, _) =>
      if (negate) c.greater(v, orEqual = false) else c.less(v, orEqual = true)
    case sql.GreaterThan(_, _) =>
      if (negate) c.less(v, orEqual = true) else c.greater(v, orEqual = false)
    case sql.GreaterThanOrEqual(_, _) =>
      if (negate) c.less(v, orEqual = false) else c.greater(v, orEqual = true)
    case _ => Untranslatable
  }

  /**
   * Returns the values without NULL, which makes no row match an IN list. Under NOT, NULL stays:
   * `oneOf` cannot translate it.
   */
  private def someOf(values: Seq[Any], negate: Boolean): Seq[Any] =
    if (negate) values else values.filter(_ != null)

  private def oneOf(
      c: InvertibleExpression,
      values: Seq[Any],
      negate: Boolean): RowGroupPredicate =
    if (values.isEmpty || values.contains(null) || values.size > MaxValues) Untranslatable
    else if (negate) c.noneOf(values)
    else c.oneOf(values)

  private object Derived {
    def unapply(expression: Expression): Option[InvertibleExpression] = expression match {
      case cast: Cast =>
        val innermost = Iterator
          .iterate[Expression](cast)(_.children.head)
          .dropWhile(_.isInstanceOf[Cast])
          .next()
        ColumnOf.unapply(innermost).flatMap { c =>
          val value = BoundReference(0, c.dataType, nullable = true)
          val applied = cast.transform { case e if e eq innermost => value }.asInstanceOf[Cast]
          TextCast.of(c, applied) orElse LocalTimeCast.of(c, applied) orElse
            MonotoneCast.of(c, applied)
        }
      case other => CharPadding.of(other, ColumnOf)
    }
  }
}

private[spark] object UnwrapCast {

  val Untranslatable: RowGroupPredicate = Unknown(
    "a cast of the column that cannot be undone for this literal")

  /** The most values of a list. For longer lists, translating each value takes too much time. */
  private final val MaxValues = 1000
}
