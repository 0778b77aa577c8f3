package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.RowGroupPredicate
import io.sbbf.core.RowGroupPredicate._

/**
 * Reads comparisons of a cast or padded column with literals as comparisons of the column itself, which is what
 * files can answer: `CAST(id AS DOUBLE) = 5.0`, `CAST(ts AS DATE) = DATE'2024-05-01'`, `CAST(id AS STRING) = '42'`.
 *
 * Guaranteed: a row for which the expression is TRUE, or for which the cast raises an error, is one for which
 * the result is TRUE, but for errors of instants within a day of the ends of what a Long can tell. What a cast does
 * is asked of Spark's own [[Cast]], in the expression's mode and time zone.
 */
private[plan] final class CastComparison(column: ColumnExtractor) {
  import CastComparison._

  /** `expression`, or NOT of it; None if it is no such comparison or one that nothing is known of. */
  def translate(expression: Expression, negate: Boolean): Option[RowGroupPredicate] =
    Some(read(expression, negate)).filter(_ != NotRead)

  private def read(expression: Expression, negate: Boolean): RowGroupPredicate =
    expression match {
      case sql.EqualTo(Derived(c), Literal(v, _)) => oneOf(c, Seq(v), negate)
      case sql.EqualTo(Literal(v, _), Derived(c)) => oneOf(c, Seq(v), negate)
      // NOT of <=> is TRUE where a cast gives NULL, too
      case sql.EqualNullSafe(Derived(c), Literal(v, _)) if !negate => oneOf(c, Seq(v), negate)
      case sql.EqualNullSafe(Literal(v, _), Derived(c)) if !negate => oneOf(c, Seq(v), negate)
      case sql.In(Derived(c), list) if list.forall(_.isInstanceOf[Literal]) =>
        oneOf(c, someOf(list.collect { case Literal(v, _) => v }, negate), negate)
      case sql.InSet(Derived(c), values) => oneOf(c, someOf(values.toSeq, negate), negate)
      case sql.LessThan(Derived(c), Literal(v, _)) => below(c, v, orEqual = false, negate)
      case sql.LessThan(Literal(v, _), Derived(c)) => above(c, v, orEqual = false, negate)
      case sql.LessThanOrEqual(Derived(c), Literal(v, _)) => below(c, v, orEqual = true, negate)
      case sql.LessThanOrEqual(Literal(v, _), Derived(c)) => above(c, v, orEqual = true, negate)
      case sql.GreaterThan(Derived(c), Literal(v, _)) => above(c, v, orEqual = false, negate)
      case sql.GreaterThan(Literal(v, _), Derived(c)) => below(c, v, orEqual = false, negate)
      case sql.GreaterThanOrEqual(Derived(c), Literal(v, _)) =>
        above(c, v, orEqual = true, negate)
      case sql.GreaterThanOrEqual(Literal(v, _), Derived(c)) =>
        below(c, v, orEqual = true, negate)
      case _ => NotRead
    }

  /** A NULL in an IN list makes no row match; under NOT it stays, for it cannot be asked about. */
  private def someOf(values: Seq[Any], negate: Boolean): Seq[Any] =
    if (negate) values else values.filter(_ != null)

  private def oneOf(c: DerivedColumn, values: Seq[Any], negate: Boolean): RowGroupPredicate =
    if (values.isEmpty || values.contains(null) || values.size > MaxValues) NotRead
    else if (negate) c.noneOf(values)
    else c.oneOf(values)

  private def below(c: DerivedColumn, v: Any, orEqual: Boolean, negate: Boolean) =
    if (v == null) NotRead else if (negate) c.greater(v, !orEqual) else c.less(v, orEqual)

  private def above(c: DerivedColumn, v: Any, orEqual: Boolean, negate: Boolean) =
    if (v == null) NotRead else if (negate) c.less(v, !orEqual) else c.greater(v, orEqual)

  private object Derived {
    def unapply(expression: Expression): Option[DerivedColumn] = expression match {
      case cast: Cast =>
        val innermost = Iterator
          .iterate[Expression](cast)(_.children.head)
          .dropWhile(_.isInstanceOf[Cast])
          .next()
        column.unapply(innermost).flatMap { c =>
          val value = BoundReference(0, c.dataType, nullable = true)
          val applied = cast.transform { case e if e eq innermost => value }.asInstanceOf[Cast]
          TextCast.of(c, applied) orElse LocalTimeCast.of(c, applied) orElse
            MonotoneCast.of(c, applied)
        }
      case other => PaddedText.of(other, column)
    }
  }
}

private[plan] object CastComparison {

  val NotRead: RowGroupPredicate = Unknown(
    "a cast of the column that has no like in its own values")

  /** Longer lists are not worth the time that it takes to find out about each of their values. */
  private final val MaxValues = 1000
}

/**
 * A function of one column, as a source of predicates about the column: each is TRUE for every row for which the comparison
 * of it with the literals, which are not NULL, is TRUE or raises an error.
 */
private[plan] abstract class DerivedColumn(column: Column) {
  def oneOf(values: Seq[Any]): RowGroupPredicate
  def noneOf(values: Seq[Any]): RowGroupPredicate
  def less(than: Any, orEqual: Boolean): RowGroupPredicate
  def greater(than: Any, orEqual: Boolean): RowGroupPredicate

  protected final def present: RowGroupPredicate = column.passes(IsNotNull)

  /** The column is one of `values`, in Catalyst's terms. */
  protected final def in(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) Never else leaf(values)(In(_))
  protected final def notIn(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) present else leaf(values)(NotIn(_))
  protected final def below(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Less(v.head, orEqual))
  protected final def above(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Greater(v.head, orEqual))

  /** NotRead where files cannot be asked about one of the values. */
  private def leaf(values: Seq[Any])(test: Seq[io.sbbf.core.Value] => Test): RowGroupPredicate = {
    val converted = values.map(CatalystValue.convert(_, column.dataType))
    if (converted.contains(None)) CastComparison.NotRead
    else column.passes(test(converted.flatten))
  }
}
