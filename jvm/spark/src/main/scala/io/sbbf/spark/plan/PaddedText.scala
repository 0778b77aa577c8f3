package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, StringRPad}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.RowGroupPredicate
import io.sbbf.core.RowGroupPredicate.{And, Or}
import io.sbbf.spark.plan.CastComparison.NotRead

/**
 * A CHAR(n) column, which Spark pads with blanks to n characters. Files may hold it padded or not, so a padded
 * literal is asked for in every length that it can have been stored in.
 *
 * @param length n
 * @param cuts whether text that is longer is cut, as rpad does, rather than left as it is
 */
private[plan] final class PaddedText private (column: Column, length: Int, cuts: Boolean)
    extends DerivedColumn(column) {

  override def oneOf(values: Seq[Any]): RowGroupPredicate = {
    val texts = values.map(_.asInstanceOf[UTF8String])
    val stored = in(texts.flatMap(sources))
    if (cuts) Or(stored +: texts.filter(_.numChars == length).map(longer)) else stored
  }

  override def noneOf(values: Seq[Any]): RowGroupPredicate =
    notIn(values.flatMap(v => sources(v.asInstanceOf[UTF8String])))

  /** Padded, a text is not smaller than before. */
  override def less(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) NotRead else below(than, orEqual)

  /** What is above the literal, and those of its beginnings that are so once they are padded. */
  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate =
    if (cuts) NotRead
    else {
      val text = than.asInstanceOf[UTF8String]
      val beginnings = (0 to math.min(length, text.numChars)).map(text.substring(0, _))
      val padded = beginnings.filter(pad(_).compareTo(text) > (if (orEqual) -1 else 0))
      Or(Seq(in(padded), above(than, orEqual)))
    }

  private def pad(text: UTF8String): UTF8String = text.rpad(length, UTF8String.fromString(" "))

  /** The texts of at most n characters, or uncut, that become `padded`. */
  private def sources(padded: UTF8String): Seq[UTF8String] =
    if (padded.numChars < length) Nil
    else if (padded.numChars > length) { if (cuts) Nil else Seq(padded) }
    else {
      val least = padded.trimRight.numChars
      (least to length).map(padded.substring(0, _))
    }

  /** What starts with `text`, which is not empty, and goes on. */
  private def longer(text: UTF8String): RowGroupPredicate = {
    val next = text.getBytes.clone() // they may be the literal's own
    val last = next.length - 1
    next(last) = (next(last) + 1).toByte
    // no UTF-8 text has a byte 0xff, but nobody checks
    val isBounded = next(last) != 0
    And(
      above(text, orEqual = false) +:
        (if (isBounded) Seq(below(UTF8String.fromBytes(next), orEqual = false)) else Nil))
  }
}

private[plan] object PaddedText {

  /** Matches the two ways in which Spark pads: as it reads a column, and where it compares one. */
  def of(expression: Expression, column: ColumnExtractor): Option[PaddedText] =
    expression match {
      case invoke: StaticInvoke
          if invoke.functionName == "readSidePadding" && invoke.arguments.size == 2 =>
        of(invoke.arguments.head, invoke.arguments(1), cuts = false, column)
      case StringRPad(text, length, Literal(blank: UTF8String, StringType))
          if blank.toString == " " =>
        of(text, length, cuts = true, column)
      case _ => None
    }

  private def of(
      text: Expression,
      length: Expression,
      cuts: Boolean,
      column: ColumnExtractor): Option[PaddedText] = (text, length) match {
    case (column(c), Literal(n: Int, _)) if c.dataType == StringType && n > 0 =>
      Some(new PaddedText(c, n, cuts))
    case _ => None
  }
}
