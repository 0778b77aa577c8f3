package io.sbbf.parquet.model

import java.lang.{Double => JDouble, Float => JFloat}
import java.nio.{ByteBuffer, ByteOrder}

/**
 * The way in which a file stores the values of a column. Immutable, compared by content.
 *
 * Values are compared by ''keys'' that order as the values do. Numbers, booleans and Spark's
 * INT96 have a signed Long as key. Byte arrays of any kind have bytes in unsigned lexicographic
 * order. Equal keys are equal values in Spark.
 */
private[sbbf] final case class ColumnType(physical: Physical, logical: Logical) {
  import ColumnType.{int, long}
  import Physical._

  /** Returns the bytes of a value in PLAIN encoding, or -1 if each value has its own length. */
  def width: Int = physical match {
    case Bool => 1
    case Int32 | Float32 => 4
    case Int64 | Float64 => 8
    case Int96 => 12
    case FixedBytes(length) => length
    case Bytes => -1
  }

  def isFloating: Boolean = physical == Float32 || physical == Float64

  /** Returns whether statistics can state its bounds; the order of INT96 is not defined. */
  def isOrdered: Boolean = physical != Int96

  /**
   * Returns the kind of the keys. Smaller values have smaller keys; columns of kind
   * [[KeyKind.None]] have neither keys nor bounds.
   */
  private[parquet] def keys: KeyKind = (physical, logical) match {
    case (Bool | Float32 | Float64, Logical.Plain) => KeyKind.Longs
    case (Int32 | Int64, Logical.Other) => KeyKind.None
    case (Int32 | Int64, _) | (Int96, Logical.SparkInt96) => KeyKind.Longs
    case (Bytes, Logical.Plain | Logical.Text | Logical.Bson) => KeyKind.Bytes
    case (FixedBytes(_), Logical.Decimal(_, _) | Logical.Plain) => KeyKind.Bytes
    case _ => KeyKind.None
  }

  /**
   * Returns whether statistics are right in the fields that were deprecated for their signed
   * order.
   */
  def isSigned: Boolean = keys == KeyKind.Longs && !isUnsigned && isOrdered

  /**
   * Returns the key of the value whose PLAIN bytes start at `at`, if `keys` is [[KeyKind.Longs]].
   */
  def longKey(plain: Array[Byte], at: Int): Long = physical match {
    case Bool => (plain(at) & 1).toLong
    case Int32 if isUnsigned => int(plain, at) & 0xffffffffL
    case Int32 => int(plain, at).toLong
    case Int64 if isUnsigned => long(plain, at) ^ Long.MinValue
    case Int64 => long(plain, at)
    case Int96 => ColumnType.micros(int(plain, at + 8), long(plain, at))
    case Float32 => ColumnType.realKey(JFloat.intBitsToFloat(int(plain, at)).toDouble)
    case _ => ColumnType.realKey(JDouble.longBitsToDouble(long(plain, at)))
  }

  /**
   * Returns the key of the value with these PLAIN bytes, if `keys` is [[KeyKind.Bytes]]. Also
   * converts a key to PLAIN bytes.
   */
  def bytesKey(plain: Array[Byte]): Array[Byte] = logical match {
    case Logical.Decimal(_, _) if plain.length > 0 =>
      // big-endian two's complement orders as unsigned bytes once its sign bit is flipped
      val key = plain.clone()
      key(0) = (key(0) ^ 0x80).toByte
      key
    case _ => plain
  }

  private def isUnsigned: Boolean = logical match {
    case Logical.Integer(_, signed) => !signed
    case _ => false
  }
}

private[sbbf] object ColumnType {

  /**
   * Returns the type in which Spark writes a decimal: in an INT32 or INT64 if all numbers of this
   * precision fit, or else in the fewest big-endian bytes that hold them and a sign
   * (`SparkToParquetSchemaConverter`).
   */
  def decimal(precision: Int, scale: Int): ColumnType = {
    val physical =
      if (precision <= 9) Physical.Int32
      else if (precision <= 18) Physical.Int64
      else Physical.FixedBytes((BigInt(10).pow(precision) - 1).bitLength / 8 + 1)
    ColumnType(physical, Logical.Decimal(precision, scale))
  }

  /**
   * Returns keys in Spark's order of doubles, with one key for both zeros and one above all
   * others for NaN.
   */
  def realKey(value: Double): Long = {
    val bits = if (value == 0.0) 0L else JDouble.doubleToLongBits(value)
    bits ^ (bits >> 63 & Long.MaxValue)
  }

  val NaNKey: Long = realKey(Double.NaN)

  /** Returns the number with this key, for the key of the two zeros the positive one. */
  def realOf(key: Long): Double = JDouble.longBitsToDouble(key ^ (key >> 63 & Long.MaxValue))

  final val MicrosPerDay = 86400L * 1000 * 1000

  /** The Julian day number of 1970-01-01. */
  private final val EpochDay = 2440588

  /**
   * 4713-11-24 BC in microseconds since the epoch. Spark writes earlier instants as INT96 in
   * another way.
   */
  final val FirstJulianMicros: Long = -EpochDay * MicrosPerDay

  private def micros(julianDay: Int, nanosOfDay: Long): Long =
    (julianDay.toLong - EpochDay) * MicrosPerDay + nanosOfDay / 1000

  /**
   * Returns the INT96 that Spark writes for an instant: nanoseconds of the day, then its Julian
   * day number (parquet.thrift; Spark's `ParquetWriteSupport`). Spark writes each instant in this
   * way only.
   *
   * @param micros microseconds since the epoch, not before [[FirstJulianMicros]]
   */
  def int96(micros: Long): Array[Byte] = ByteBuffer
    .allocate(12)
    .order(ByteOrder.LITTLE_ENDIAN)
    .putLong(Math.floorMod(micros, MicrosPerDay) * 1000)
    .putInt((Math.floorDiv(micros, MicrosPerDay) + EpochDay).toInt)
    .array

  /** Reads a PLAIN number, which is little-endian. */
  def int(bytes: Array[Byte], at: Int): Int =
    bytes(at) & 0xff | (bytes(at + 1) & 0xff) << 8 | (bytes(at + 2) & 0xff) << 16 |
      bytes(at + 3) << 24

  def long(bytes: Array[Byte], at: Int): Long =
    int(bytes, at) & 0xffffffffL | int(bytes, at + 4).toLong << 32
}

/** Parquet's physical types (`Type` of parquet.thrift). */
private[sbbf] sealed abstract class Physical(val name: String) extends Product with Serializable

private[sbbf] object Physical {
  case object Bool extends Physical("BOOLEAN")
  case object Int32 extends Physical("INT32")
  case object Int64 extends Physical("INT64")
  case object Int96 extends Physical("INT96")
  case object Float32 extends Physical("FLOAT")
  case object Float64 extends Physical("DOUBLE")
  case object Bytes extends Physical("BYTE_ARRAY")
  final case class FixedBytes(length: Int) extends Physical(s"FIXED_LEN_BYTE_ARRAY($length)")
}

/** Parquet's annotations (LogicalTypes.md), as far as this module distinguishes them. */
private[sbbf] sealed abstract class Logical extends Product with Serializable

private[sbbf] object Logical {
  case object Plain extends Logical
  final case class Integer(bits: Int, signed: Boolean) extends Logical

  /** STRING, ENUM or JSON. */
  case object Text extends Logical
  case object Bson extends Logical

  /** @param mayRebase whether Spark may read old dates as dates of the Julian calendar */
  final case class Date(mayRebase: Boolean) extends Logical

  /**
   * @param perMilli units in a millisecond: 1 for MILLIS, 1000 for MICROS, 1000000 for NANOS
   * @param mayRebase as for [[Date]]
   */
  final case class Timestamp(perMilli: Int, utc: Boolean, mayRebase: Boolean) extends Logical

  /** A time of day in microseconds. */
  case object TimeMicros extends Logical

  /** An INT96 that Spark wrote and reads unchanged: each instant has one encoding. */
  case object SparkInt96 extends Logical
  final case class Decimal(precision: Int, scale: Int) extends Logical

  /** A type that is not compared with anything. */
  case object Other extends Logical
}

/** The kind of keys by which the values of a column are compared. */
private[parquet] sealed abstract class KeyKind

private[parquet] object KeyKind {
  case object None extends KeyKind
  case object Longs extends KeyKind
  case object Bytes extends KeyKind
}
