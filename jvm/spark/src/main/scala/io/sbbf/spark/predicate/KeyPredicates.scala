package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.ColumnPath.Function
import io.sbbf.core.predicate.RowGroupPredicate.In
import io.sbbf.core.predicate.{KeyFunction, RowGroupPredicate, Value}
import io.sbbf.spark.column.CatalystExtractors.{Comparison, Constant, Constants}
import io.sbbf.spark.column.{Column, ColumnExtractor}

/**
 * Finds the keys that an index must have of each text that passes a test:
 *
 * {{{
 *   message LIKE '% error 47%'     tokens(message) = 'error'
 *   lower(email) = 'a@b.org'       lower(email) IN ('a@b.org', the key of texts that are not ASCII)
 * }}}
 *
 * @param functions returns the functions whose keys the index has
 */
private[predicate] final class KeyPredicates(
    ColumnOf: ColumnExtractor,
    functions: () => Seq[KeyFunction]) {
  import KeyPredicates._

  /** Returns predicates that are TRUE of each row for which `expression` is TRUE. */
  def of(expression: Expression): Seq[RowGroupPredicate] = expression match {
    case Comparison(sql.Lower(Text(c)), sql.EqualTo(_, _), Constant(literal)) =>
      lowered(c, Seq(literal.value))
    case sql.In(sql.Lower(Text(c)), Constants(values)) => lowered(c, values)
    case sql.InSet(sql.Lower(Text(c)), values) => lowered(c, values.toSeq)
    case Comparison(Text(c), sql.EqualTo(_, _), Constant(literal)) =>
      within(c, literal.value, startsValue = true, endsValue = true)
    case sql.StartsWith(Text(c), Constant(literal)) =>
      within(c, literal.value, startsValue = true)
    case sql.EndsWith(Text(c), Constant(literal)) => within(c, literal.value, endsValue = true)
    case sql.Contains(Text(c), Constant(literal)) => within(c, literal.value)
    case sql.Like(Text(c), Constant(pattern), escape) =>
      ofText(pattern.value).toSeq.flatMap { text =>
        containing(c, LikePattern.literals(text.toString, escape).getOrElse(Nil))
      }
    case _ => Nil
  }

  /** Matches columns of texts that are compared byte by byte. */
  private object Text {
    def unapply(expression: Expression): Option[Column] =
      ColumnOf.unapply(expression).filter(_.dataType == StringType)
  }

  private def lowered(column: Column, values: Seq[Any]): Seq[RowGroupPredicate] = {
    val texts = values.flatMap(ofText(_)).map(_.getBytes)
    if (texts.isEmpty || !functions().contains(KeyFunction.Lower)) Nil
    else Seq(has(column, KeyFunction.Lower, KeyFunction.Lower.NotAscii +: texts))
  }

  private def within(
      column: Column,
      literal: Any,
      startsValue: Boolean = false,
      endsValue: Boolean = false): Seq[RowGroupPredicate] =
    containing(
      column,
      ofText(literal).toSeq.map(t => LiteralText(t.getBytes, startsValue, endsValue)))

  private def containing(column: Column, texts: Seq[LiteralText]): Seq[RowGroupPredicate] =
    if (!texts.exists(_.mayHaveKeys) || texts.exists(_.isLong)) Nil
    else
      functions().flatMap { function =>
        val keys = texts.flatMap(_.keys(function)).map(Value.Bytes(_, text = true)).distinct
        some(keys).map(key => has(column, function, Seq(key.bytes)))
      }

  private def has(
      column: Column,
      function: KeyFunction,
      keys: Seq[Array[Byte]]): RowGroupPredicate =
    (column / (Function(function), StringType))
      .passes(In(keys.toIndexedSeq.map(Value.Bytes(_, text = true))))
}

private object KeyPredicates {

  /** The most keys of a function that are searched for a test. Each one costs a lookup. */
  private final val MostKeys = 6

  /** Returns at most [[MostKeys]], spread evenly. */
  private def some[T](keys: Seq[T]): Seq[T] =
    if (keys.size <= MostKeys) keys
    else Seq.tabulate(MostKeys)(i => keys(i * (keys.size - 1) / (MostKeys - 1)))

  private def ofText(value: Any): Option[UTF8String] = value match {
    case text: UTF8String => Some(text)
    case _ => None
  }
}
