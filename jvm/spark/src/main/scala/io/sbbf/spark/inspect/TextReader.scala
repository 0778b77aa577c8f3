package io.sbbf.spark.inspect

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, EvalMode}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads texts as values of a type, as Spark casts them. A text that a cast would round or cut has
 * no value. A time with a zone is an instant: as a TIMESTAMP_NTZ, it is the local time of the
 * session's zone, as in a comparison of both types.
 *
 * @param zone the time zone of the session
 */
private[inspect] final class TextReader(to: DataType, zone: String) {
  import TextReader._

  private val value = cast(StringType, to)
  private val local = cast(StringType, TimestampNTZType)
  private val instant = cast(StringType, TimestampType)
  private val instantToLocal = cast(TimestampType, TimestampNTZType)

  /** Returns the value of Catalyst, None if the type cannot hold it. */
  def read(text: UTF8String): Option[Any] = to match {
    case TimestampNTZType if hasZone(text) => instant(text).flatMap(instantToLocal)
    case _ => value(text).filter(isExact(text, _))
  }

  private def isExact(text: UTF8String, value: Any): Boolean = value match {
    case decimal: Decimal =>
      Try(new java.math.BigDecimal(text.toString.trim)).toOption
        .exists(_.compareTo(decimal.toJavaBigDecimal) == 0)
    case days: Int if to == DateType =>
      local(text).forall(_ == days * MicrosOfDay) // no value beyond the years of TIMESTAMP_NTZ
    case _ => true
  }

  private def cast(from: DataType, to: DataType): Any => Option[Any] = {
    val cast = Cast(BoundReference(0, from, nullable = false), to, Some(zone), EvalMode.TRY)
    value => Option(cast.eval(InternalRow(value)))
  }
}

private object TextReader {
  private final val MicrosOfDay = 86400L * 1000 * 1000

  private def hasZone(text: UTF8String): Boolean =
    DateTimeUtils.stringToTimestampWithoutTimeZone(text, allowTimeZone = false).isEmpty
}
