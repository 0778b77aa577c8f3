package io.sbbf.spark.predicate.cast

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, StringRPad}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.RowGroupPredicate.{And, Or}
import io.sbbf.core.predicate.{BytePrefix, RowGroupPredicate}
import io.sbbf.spark.column.{Column, ColumnExtractor}
import io.sbbf.spark.predicate.cast.CharPadding.stored
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * Translates comparisons of a CHAR(n) column, which Spark pads with blanks to n characters. Files
 * may store a value padded or not. Predicates therefore match a padded literal at every length at
 * which a file may store it.
 *
 * @param length the n of CHAR(n)
 * @param cuts whether padding cuts longer text to n characters, as rpad does, or keeps it
 */
private[spark] final class CharPadding private (column: Column, length: Int, cuts: Boolean)
    extends InvertibleExpression(column) {

  override def oneOf(values: Seq[Any]): RowGroupPredicate =
    Or(in(values.flatMap(sources)) +: cutTo(values) { (text, end) =>
      And(Seq(above(text, orEqual = false), below(end, orEqual = false)))
    })

  override def noneOf(values: Seq[Any]): RowGroupPredicate =
    And(notIn(values.flatMap(sources)) +: cutTo(values) { (text, end) =>
      Or(Seq(below(text, orEqual = true), above(end, orEqual = true)))
    })

  /**
   * Returns the predicate for values below the literal. It excludes the literal's prefixes that
   * padding moves out of that range.
   */
  override def less(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) Untranslatable
    else {
      val text = than.asInstanceOf[UTF8String]
      And(Seq(below(text, orEqual), notIn(reaching(text, !orEqual))))
    }

  /**
   * Returns the predicate for values above the literal. It includes the literal's prefixes that
   * padding moves into that range.
   */
  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) Untranslatable
    else {
      val text = than.asInstanceOf[UTF8String]
      Or(Seq(in(reaching(text, orEqual)), above(text, orEqual)))
    }

  /**
   * Returns the prefixes of `text` that are above it once padded. With `orEqual`, it also returns
   * those that then equal it.
   */
  private def reaching(text: UTF8String, orEqual: Boolean): Seq[UTF8String] =
    (0 to math.min(length, text.numChars))
      .map(text.substring(0, _))
      .filter(pad(_).compareTo(text) > (if (orEqual) -1 else 0))

  private def pad(text: UTF8String): UTF8String = text.rpad(length, UTF8String.fromString(" "))

  /**
   * Returns the texts that become `value` when padded, without longer texts that are cut to it.
   */
  private def sources(value: Any): Seq[UTF8String] = {
    val padded = value.asInstanceOf[UTF8String]
    if (padded.numChars < length) Nil
    else if (padded.numChars > length) { if (cuts) Nil else Seq(padded) }
    else stored(padded, length)
  }

  /**
   * Returns `test` of the bounds of the longer texts that are cut to each of `values`. They lie
   * between the value and the first text above all of them, both exclusive.
   */
  private def cutTo(values: Seq[Any])(
      test: (UTF8String, UTF8String) => RowGroupPredicate): Seq[RowGroupPredicate] =
    values.map(_.asInstanceOf[UTF8String]).filter(cuts && _.numChars == length).map { text =>
      BytePrefix
        .end(text.getBytes)
        .fold(Untranslatable)(end => test(text, UTF8String.fromBytes(end)))
    }
}

private[spark] object CharPadding {

  /** Returns the texts that a CHAR(n) column may store for a text, with trailing blanks or without. */
  def stored(text: UTF8String, length: Int): Seq[UTF8String] = {
    val least = text.trimRight
    if (least.numChars > length) Seq(text)
    else {
      val padded = least.rpad(length, UTF8String.fromString(" "))
      (least.numChars to length).map(padded.substring(0, _))
    }
  }

  /**
   * Matches the two forms in which Spark pads: where it reads a column and where it compares one.
   */
  def of(expression: Expression, ColumnOf: ColumnExtractor): Option[CharPadding] =
    expression match {
      case invoke: StaticInvoke
          if invoke.functionName == "readSidePadding" && invoke.arguments.size == 2 =>
        of(invoke.arguments.head, invoke.arguments(1), cuts = false, ColumnOf)
      case StringRPad(text, length, Literal(blank: UTF8String, StringType))
          if blank.toString == " " =>
        of(text, length, cuts = true, ColumnOf)
      case _ => None
    }

  private def of(
      text: Expression,
      length: Expression,
      cuts: Boolean,
      ColumnOf: ColumnExtractor): Option[CharPadding] = (text, length) match {
    case (ColumnOf(c), Literal(n: Int, _)) if c.dataType == StringType && n > 0 =>
      Some(new CharPadding(c, n, cuts))
    case _ => None
  }
}
