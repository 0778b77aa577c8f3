package io.sbbf.core.predicate

import java.math.BigInteger
import java.util

/**
 * A non-null literal of a query, in the type that the query gives to the compared column. Code
 * that compares a literal with a file handles how the file stores that type (width, unit and
 * scale).
 */
sealed abstract class Value extends Product with Serializable

object Value {

  /** A literal of a signed integer column of `bits` (8, 16, 32 or 64) bits. */
  final case class IntegerLiteral(value: Long, bits: Int) extends Value
  final case class Bool(value: Boolean) extends Value

  /** Equal as in Spark: NaN equals NaN, and the two zeros are equal. */
  final case class FloatLiteral(value: Float) extends Value {
    override def equals(other: Any): Boolean = other match {
      case FloatLiteral(v) => v == value || v.isNaN && value.isNaN
      case _ => false
    }
    override def hashCode: Int = java.lang.Float.hashCode(value + 0.0f)
  }

  /** Equal as in Spark: NaN equals NaN, and the two zeros are equal. */
  final case class DoubleLiteral(value: Double) extends Value {
    override def equals(other: Any): Boolean = other match {
      case DoubleLiteral(v) => v == value || v.isNaN && value.isNaN
      case _ => false
    }
    override def hashCode: Int = java.lang.Double.hashCode(value + 0.0)
  }

  /** `unscaled * 10^-scale`, of a decimal column of that precision and scale. */
  final case class Decimal(unscaled: BigInteger, precision: Int, scale: Int) extends Value

  /** Days since 1970-01-01 in the proleptic Gregorian calendar. */
  final case class Date(days: Int) extends Value

  /** Microseconds since 1970-01-01T00:00:00; an instant if `utc`, else a local date and time. */
  final case class Timestamp(micros: Long, utc: Boolean) extends Value

  /** Nanoseconds since midnight, of a column with microsecond precision or less. */
  final case class Time(nanos: Long) extends Value

  /** UTF-8 text if `text` (binary collation), else raw bytes. Equal by content. */
  final case class Bytes(bytes: Array[Byte], text: Boolean) extends Value {
    override def equals(other: Any): Boolean = other match {
      case Bytes(b, t) => t == text && util.Arrays.equals(b, bytes)
      case _ => false
    }
    override def hashCode: Int = util.Arrays.hashCode(bytes)

    /** Never the content: values may belong to an encrypted column. */
    override def toString: String = s"Bytes(${bytes.length}, text = $text)"
  }
}
