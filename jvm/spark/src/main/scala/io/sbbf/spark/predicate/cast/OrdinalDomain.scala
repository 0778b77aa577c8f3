package io.sbbf.spark.predicate.cast

import java.lang.{Double => JDouble, Float => JFloat}

import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.False
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * The values of a type in their order, numbered so that 0 stands for zero; the two zeros have one number and NaN
 * has none.
 *
 * @param nothing what is known of a comparison that no value in the domain satisfies
 */
private[spark] final class OrdinalDomain private (
    val low: BigInt,
    val high: BigInt,
    val nan: Any,
    val nothing: RowGroupPredicate,
    value: BigInt => Any) {
  def apply(key: BigInt): Any = value(key)
  def hasNaN: Boolean = nan != null
}

private[spark] object OrdinalDomain {
  def of(dataType: DataType): Option[OrdinalDomain] = dataType match {
    case BooleanType => Some(whole(0, 1, _ == BigInt(1)))
    case ByteType => Some(whole(Byte.MinValue, Byte.MaxValue, _.toByte))
    case ShortType => Some(whole(Short.MinValue, Short.MaxValue, _.toShort))
    case IntegerType | DateType => Some(whole(Int.MinValue, Int.MaxValue, _.toInt))
    case LongType | TimestampType | TimestampNTZType =>
      Some(whole(Long.MinValue, Long.MaxValue, _.toLong))
    case FloatType =>
      val last = BigInt(JFloat.floatToIntBits(Float.PositiveInfinity))
      def number(k: BigInt) = math.signum(k.signum.toFloat) * JFloat.intBitsToFloat(k.abs.toInt)
      Some(
        new OrdinalDomain(
          -last,
          last,
          Float.NaN,
          False,
          k => if (k.signum == 0) 0.0f else number(k)))
    case DoubleType =>
      val last = BigInt(JDouble.doubleToLongBits(Double.PositiveInfinity))
      def number(k: BigInt) = k.signum * JDouble.longBitsToDouble(k.abs.toLong)
      Some(
        new OrdinalDomain(
          -last,
          last,
          Double.NaN,
          False,
          k => if (k.signum == 0) 0.0 else number(k)))
    case d: DecimalType =>
      // a file may hold more digits than it declares
      val last = BigInt(10).pow(d.precision) - 1
      Some(new OrdinalDomain(-last, last, null, Untranslatable, k => decimal(k, d)))
    case _ => None
  }

  private def whole(low: Long, high: Long, value: BigInt => Any): OrdinalDomain =
    new OrdinalDomain(low, high, null, False, value)

  private def decimal(unscaled: BigInt, d: DecimalType): Decimal =
    if (d.precision <= Decimal.MAX_LONG_DIGITS) Decimal(unscaled.toLong, d.precision, d.scale)
    else Decimal(new java.math.BigDecimal(unscaled.bigInteger, d.scale), d.precision, d.scale)
}
