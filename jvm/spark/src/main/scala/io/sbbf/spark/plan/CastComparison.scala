package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.RowGroupPredicate._
import io.sbbf.core.{RowGroupPredicate, Value}

/**
 * Reads comparisons of a cast or padded column with literals as comparisons of the column itself, which is what
 * files can answer: `CAST(id AS DOUBLE) = 5.0`, `CAST(ts AS DATE) = DATE'2024-05-01'`, `CAST(id AS STRING) = '42'`.
 *
 * Guaranteed: a row for which the expression is TRUE, or for which the cast raises an error, is one for which
 * the result is TRUE. An exception are errors of instants within a day of the ends of a Long's microseconds: there
 * time zones cannot be computed. What a cast does is asked of Spark's own [[Cast]], in the expression's mode and
 * time zone.
 */
private[plan] final class CastComparison(ColumnOf: ColumnExtractor) {
  import CastComparison._

  /** `expression`, or NOT of it; None if it is no such comparison or one that nothing is known of. */
  def translate(expression: Expression, negate: Boolean): Option[RowGroupPredicate] =
    Some(read(expression, negate)).filter(_ != NotRead)

  private def read(expression: Expression, negate: Boolean): RowGroupPredicate =
    expression match {
      case Comparison(Derived(c), comparison, Constant(Literal(v, _))) =>
        compare(c, comparison, v, negate)
      case sql.In(Derived(c), Constants(values)) => oneOf(c, someOf(values, negate), negate)
      case sql.InSet(Derived(c), values) => oneOf(c, someOf(values.toSeq, negate), negate)
      case _ => NotRead
    }

  /** @param comparison whose operator counts, with the cast on its left side */
  private def compare(
      c: DerivedColumn,
      comparison: Expression,
      v: Any,
      negate: Boolean): RowGroupPredicate = comparison match {
    case _ if v == null => NotRead
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
    case _ => NotRead
  }

  /** A NULL in an IN list makes no row match; under NOT it stays, for it cannot be asked about. */
  private def someOf(values: Seq[Any], negate: Boolean): Seq[Any] =
    if (negate) values else values.filter(_ != null)

  private def oneOf(c: DerivedColumn, values: Seq[Any], negate: Boolean): RowGroupPredicate =
    if (values.isEmpty || values.contains(null) || values.size > MaxValues) NotRead
    else if (negate) c.noneOf(values)
    else c.oneOf(values)

  private object Derived {
    def unapply(expression: Expression): Option[DerivedColumn] = expression match {
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
      case other => PaddedText.of(other, ColumnOf)
    }
  }
}

private[plan] object CastComparison {

  val NotRead: RowGroupPredicate = Unknown(
    "a cast of the column that cannot be undone for this literal")

  /** Longer lists are not worth the time that it takes to find out about each of their values. */
  private final val MaxValues = 1000
}

/**
 * A function of one column, as a source of predicates about the column: each is TRUE for every row for which the comparison
 * of it with the literals, which are not NULL, is TRUE or raises an error. Not thread-safe.
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
  private def leaf(values: Seq[Any])(test: Seq[Value] => Test): RowGroupPredicate =
    CatalystValue
      .convertAll(values, column.dataType)
      .fold(CastComparison.NotRead)(literals => column.passes(test(literals)))
}
