package io.sbbf.spark.predicate.cast

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.spark.column.{CatalystValue, Column}

/**
 * A function of one column, as a source of predicates about the column: each is TRUE for every row for which the comparison
 * of it with the literals, which are not NULL, is TRUE or raises an error. Not thread-safe.
 */
private[spark] abstract class InvertibleExpression(column: Column) {
  def oneOf(values: Seq[Any]): RowGroupPredicate
  def noneOf(values: Seq[Any]): RowGroupPredicate
  def less(than: Any, orEqual: Boolean): RowGroupPredicate
  def greater(than: Any, orEqual: Boolean): RowGroupPredicate

  protected final def present: RowGroupPredicate = column.passes(IsNotNull)

  /** The column is one of `values`, in Catalyst's terms. */
  protected final def in(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) False else leaf(values)(In(_))
  protected final def notIn(values: Seq[Any]): RowGroupPredicate =
    if (values.isEmpty) present else leaf(values)(NotIn(_))
  protected final def below(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Less(v.head, orEqual))
  protected final def above(value: Any, orEqual: Boolean): RowGroupPredicate =
    leaf(Seq(value))(v => Greater(v.head, orEqual))

  /** Untranslatable where files cannot be asked about one of the values. */
  private def leaf(values: Seq[Any])(test: Seq[Value] => Test): RowGroupPredicate =
    CatalystValue
      .convertAll(values, column.dataType)
      .fold(UnwrapCast.Untranslatable)(literals => column.passes(test(literals)))
}
