package io.sbbf.spark.predicate.cast

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.spark.column.CatalystExtractors.{Comparison, Constant, Constants}
import io.sbbf.spark.column.ColumnExtractor

/**
 * Reads comparisons of a cast or padded column with literals as comparisons of the column itself, which is what
 * files can answer: `CAST(id AS DOUBLE) = 5.0`, `CAST(ts AS DATE) = DATE'2024-05-01'`, `CAST(id AS STRING) = '42'`.
 *
 * Guaranteed: a row for which the expression is TRUE, or for which the cast raises an error, is one for which
 * the result is TRUE. An exception are errors of instants within a day of the ends of a Long's microseconds: there
 * time zones cannot be computed. What a cast does is asked of Spark's own [[Cast]], in the expression's mode and
 * time zone.
 */
private[spark] final class UnwrapCast(ColumnOf: ColumnExtractor) {
  import UnwrapCast._

  /** `expression`, or NOT of it; None if it is no such comparison or one that nothing is known of. */
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

  /** @param comparison whose operator counts, with the cast on its left side */
  private def compare(
      c: InvertibleExpression,
      comparison: Expression,
      v: Any,
      negate: Boolean): RowGroupPredicate = comparison match {
    case _ if v == null => Untranslatable
    case sql.EqualTo(_, _) => oneOf(c, Seq(v), negate)
    // NOT of <=> is TRUE where a cast gives NULL, too
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

  /** A NULL in an IN list makes no row match; under NOT it stays, for it cannot be asked about. */
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

  /** Longer lists are not worth the time that it takes to find out about each of their values. */
  private final val MaxValues = 1000
}
