package io.sbbf.spark.predicate.cast

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.spark.column.Column
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * Translates comparisons of a column cast to text, for types whose values each have a text of
 * their own.
 *
 * Another spelling of a value, for example '042' for 42, equals none of these texts. Texts do not
 * order as the values do.
 *
 * @param cast the cast, applied to the first column of a row
 */
private[spark] final class TextCast private (column: Column, cast: Cast)
    extends InvertibleExpression(column) {

  override def oneOf(values: Seq[Any]): RowGroupPredicate =
    sources(values).fold(Untranslatable)(in)

  /**
   * Returns Untranslatable for FLOAT and DOUBLE. Both zeros count as one value, but their texts
   * differ: NOT of one text is TRUE for the other.
   */
  override def noneOf(values: Seq[Any]): RowGroupPredicate = column.dataType match {
    case FloatType | DoubleType => Untranslatable
    case _ => sources(values).fold(Untranslatable)(notIn)
  }

  override def less(than: Any, orEqual: Boolean): RowGroupPredicate = Untranslatable
  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate = Untranslatable

  private def sources(texts: Seq[Any]): Option[Seq[Any]] = {
    val found = texts.map(source)
    if (found.contains(None)) None else Some(found.flatten.flatten)
  }

  /** Returns the column's values that have this text. None if the values cannot be determined. */
  private def source(text: Any): Option[Seq[Any]] = column.dataType match {
    case TimestampType =>
      parse(text, TimestampNTZType).flatMap { local =>
        LocalTimeCast.instants(cast, cast.zoneId, Some(local.asInstanceOf[Long]), text)
      }
    case ByteType | ShortType | IntegerType | LongType =>
      Some(parse(text, column.dataType).filter(prints(_, text)).toSeq)
    case other => parse(text, other).map(v => if (prints(v, text)) Seq(v) else Nil)
  }

  private def parse(text: Any, as: DataType): Option[Any] =
    Try(Option(Cast(Literal(text, StringType), as, cast.timeZoneId, EvalMode.TRY).eval()))
      .getOrElse(None)

  private def prints(value: Any, text: Any): Boolean = {
    val row = new GenericInternalRow(1)
    row.update(0, value)
    cast.eval(row) == text
  }
}

private[spark] object TextCast {
  def of(column: Column, cast: Cast): Option[TextCast] =
    if (cast.dataType != StringType || !cast.child.isInstanceOf[BoundReference]) None
    else
      column.dataType match {
        case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
            TimestampType | TimestampNTZType | _: DecimalType =>
          Some(new TextCast(column, cast))
        case _ => None
      }
}
