package io.sbbf.spark.predicate.cast

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.spark.column.{CatalystValue, Column}

/**
 * Translates comparisons of a function of one column into predicates about the column.
 *
 * Each predicate is TRUE for every row for which the comparison is TRUE or raises an error. The
 * literals are not NULL. Not thread-safe.
 */
private[spark] abstract class InvertibleExpression(column: Column) {
  def oneOf(values: Seq[Any]): RowGroupPredicate
  def noneOf(values: Seq[Any]): RowGroupPredicate
  def less(than: Any, orEqual: Boolean): RowGroupPredicate
  def greater(than: Any, orEqual: Boolean): RowGroupPredicate

  protected final def present: RowGroupPredicate = column.passes(IsNotNull)

  /** Returns the test that the column is one of `values`, which are Catalyst values. */
  protected final def in(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) False else leaf(values)(In(_))
  protected final def notIn(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) present else leaf(values)(NotIn(_))
  protected final def below(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Less(v.head, orEqual))
  protected final def above(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Greater(v.head, orEqual))

  /** Returns `test` of the column, or Untranslatable if evidence cannot represent a value. */
  private def leaf(values: Seq[Any])(test: Seq[Value] => Test): RowGroupPredicate =
    CatalystValue
      .convertAll(values, column.dataType)
      .fold(UnwrapCast.Untranslatable)(literals => column.passes(test(literals)))
}
