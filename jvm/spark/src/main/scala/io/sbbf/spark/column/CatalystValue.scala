package io.sbbf.spark.column

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.Value

/** Converts Catalyst's internal values to [[Value]]s. */
private[spark] object CatalystValue {

  /**
   * Returns the value, or None if the evidence of files does not support its type. Strings with a
   * collation are unsupported.
   */
  def convert(value: Any, dataType: DataType): Option[Value] = (value, dataType) match {
    case (v: Byte, ByteType) => Some(Value.IntegerLiteral(v.toLong, 8))
    case (v: Short, ShortType) => Some(Value.IntegerLiteral(v.toLong, 16))
    case (v: Int, IntegerType) => Some(Value.IntegerLiteral(v.toLong, 32))
    case (v: Long, LongType) => Some(Value.IntegerLiteral(v, 64))
    case (v: Float, FloatType) => Some(Value.FloatLiteral(v))
    case (v: Double, DoubleType) => Some(Value.DoubleLiteral(v))
    case (v: Boolean, BooleanType) => Some(Value.Bool(v))
    case (v: Int, DateType) => Some(Value.Date(v))
    case (v: Long, TimestampType) => Some(Value.Timestamp(v, utc = true))
    case (v: Long, TimestampNTZType) => Some(Value.Timestamp(v, utc = false))
    // StringType has the binary collation; types of other collations do not equal it
    case (v: UTF8String, StringType) => Some(Value.Bytes(v.getBytes, text = true))
    case (v: Array[Byte], BinaryType) => Some(Value.Bytes(v, text = false))
    case (v: Decimal, t: DecimalType) => decimal(v, t)
    case (v: Long, t) if TimeOfDay.matcher(t.typeName).matches => Some(Value.Time(v))
    case _ => None
  }

  /** Returns all values, or None if one of them is unsupported. */
  def convertAll(values: Seq[Any], dataType: DataType): Option[Seq[Value]] = {
    val converted = values.flatMap(convert(_, dataType))
    if (converted.size == values.size) Some(converted) else None
  }

  /**
   * Matches the names of Spark 4.1's TIME types with at least six digits, in nanoseconds. Spark
   * truncates values of fewer digits when it reads them.
   */
  private val TimeOfDay = "time\\([6-9]\\)".r.pattern

  private def decimal(value: Decimal, dataType: DecimalType): Option[Value] = {
    val exact = value.toJavaBigDecimal
    if (exact.stripTrailingZeros.scale > dataType.scale) None
    else
      Some(
        Value.Decimal(
          exact.setScale(dataType.scale).unscaledValue,
          dataType.precision,
          dataType.scale))
  }
}
