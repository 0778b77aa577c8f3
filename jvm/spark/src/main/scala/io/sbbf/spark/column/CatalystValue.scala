package io.sbbf.spark.column

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.Value

/** Catalyst's internal values as [[Value]]s. */
private[spark] object CatalystValue {

  /** None for types that files' evidence cannot be asked about, among them strings with a collation. */
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
    // StringType is the binary collation; any other is another, unequal type
    case (v: UTF8String, StringType) => Some(Value.Bytes(v.getBytes, text = true))
    case (v: Array[Byte], BinaryType) => Some(Value.Bytes(v, text = false))
    case (v: Decimal, t: DecimalType) => decimal(v, t)
    case (v: Long, t) if TimeOfDay.matcher(t.typeName).matches => Some(Value.Time(v))
    case _ => None
  }

  /** None where one of them is none that files can be asked about. */
  def convertAll(values: Seq[Any], dataType: DataType): Option[Seq[Value]] = {
    val converted = values.flatMap(convert(_, dataType))
    if (converted.size == values.size) Some(converted) else None
  }

  /** Spark 4.1's TIME, in nanoseconds; those of fewer than six digits are cut when they are read. */
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
