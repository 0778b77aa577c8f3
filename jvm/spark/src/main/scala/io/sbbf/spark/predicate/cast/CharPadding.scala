package io.sbbf.spark.predicate.cast

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, StringRPad}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.RowGroupPredicate.{And, Or}
import io.sbbf.core.predicate.{BytePrefix, RowGroupPredicate}
import io.sbbf.spark.column.{Column, ColumnExtractor}
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * A CHAR(n) column, which Spark pads with blanks to n characters. Files may hold it padded or not, so a padded
 * literal is asked for in every length that it can have been stored in.
 *
 * @param length n
 * @param cuts whether text that is longer is cut, as rpad does, rather than left as it is
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

  /** What is below the literal, but for those of its beginnings that are not so once they are padded. */
  override def less(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) Untranslatable
    else {
      val text = than.asInstanceOf[UTF8String]
      And(Seq(below(text, orEqual), notIn(reaching(text, !orEqual))))
    }

  /** What is above the literal, and those of its beginnings that are so once they are padded. */
  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) Untranslatable
    else {
      val text = than.asInstanceOf[UTF8String]
      Or(Seq(in(reaching(text, orEqual)), above(text, orEqual)))
    }

  /** The beginnings of `text` that, padded, are above it, or with `orEqual` also those that then equal it. */
  private def reaching(text: UTF8String, orEqual: Boolean): Seq[UTF8String] =
    (0 to math.min(length, text.numChars))
      .map(text.substring(0, _))
      .filter(pad(_).compareTo(text) > (if (orEqual) -1 else 0))

  private def pad(text: UTF8String): UTF8String = text.rpad(length, UTF8String.fromString(" "))

  /** The texts of at most n characters, or uncut, that become `padded`. */
  private def sources(value: Any): Seq[UTF8String] = {
    val padded = value.asInstanceOf[UTF8String]
    if (padded.numChars < length) Nil
    else if (padded.numChars > length) { if (cuts) Nil else Seq(padded) }
    else {
      val least = padded.trimRight.numChars
      (least to length).map(padded.substring(0, _))
    }
  }

  /** About the longer texts that are cut to each of `values`: those between it and the first text past them. */
  private def cutTo(values: Seq[Any])(
      test: (UTF8String, UTF8String) => RowGroupPredicate): Seq[RowGroupPredicate] =
    values.map(_.asInstanceOf[UTF8String]).filter(cuts && _.numChars == length).map { text =>
      BytePrefix
        .end(text.getBytes)
        .fold(Untranslatable)(end => test(text, UTF8String.fromBytes(end)))
    }
}

private[spark] object CharPadding {

  /** Matches the two ways in which Spark pads: as it reads a column, and where it compares one. */
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
