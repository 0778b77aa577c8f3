package io.sbbf.parquet.literal

import java.math.BigInteger

import io.sbbf.core.predicate.Value
import io.sbbf.parquet.model.{ColumnType, LeafResult, Logical, Physical}

/** Represents a literal of a query as a key of the column type that a file stores. */
private[parquet] sealed abstract class StoredLiteral

private[parquet] object StoredLiteral {

  /**
   * A literal that cannot be compared with such a column.
   *
   * @param result the result of the leaf, with the reason
   */
  final case class Unencodable(result: LeafResult) extends StoredLiteral

  /** A literal that equals the key `floor` if exact, else is between `floor` and the next key. */
  final case class Number(floor: Long, isExact: Boolean) extends StoredLiteral
  final case class ByteString(floor: Array[Byte], isExact: Boolean) extends StoredLiteral

  /** A literal below every key. */
  case object BelowAll extends StoredLiteral

  /** A literal above every key. */
  case object AboveAll extends StoredLiteral

  /** Returns the literal for this column type; [[Unencodable]] for any unlisted pair of types. */
  def of(value: Value, kind: ColumnType): StoredLiteral = {
    import Physical._
    (value, kind.physical, kind.logical) match {
      case (Value.IntegerLiteral(v, bits), _, _) if holds(bits, kind) => Number(v, isExact = true)
      case (Value.Bool(v), Bool, Logical.Plain) => Number(if (v) 1 else 0, isExact = true)
      case (Value.FloatLiteral(v), Float32, Logical.Plain) => real(v.toDouble)
      case (Value.DoubleLiteral(v), Float32 | Float64, Logical.Plain) => real(v)
      case (Value.DoubleLiteral(v), Int32, Logical.Plain | Logical.Integer(_, true)) =>
        asInteger(v)
      case (Value.Bytes(v, _), Bytes, Logical.Plain | Logical.Text) => ByteString(v, true)
      case (Value.Bytes(v, false), Bytes, Logical.Bson) => ByteString(v, isExact = true)
      case (Value.Bytes(v, false), FixedBytes(_), Logical.Plain) => ByteString(v, isExact = true)
      case (Value.Time(nanos), Int64, Logical.TimeMicros) =>
        Number(Math.floorDiv(nanos, 1000L), isExact = Math.floorMod(nanos, 1000L) == 0)
      case (Value.Decimal(v, 20, 0), Int64, Logical.Integer(64, false)) => unsigned(v)
      case (decimal: Value.Decimal, _, _) => number(decimal, kind)
      case _ => calendar(value, kind)
    }
  }

  private def calendar(value: Value, kind: ColumnType): StoredLiteral =
    (value, kind.physical, kind.logical) match {
      case (Value.Date(days), Physical.Int32, Logical.Date(mayRebase)) =>
        date(days.toLong, isExact = true, mayRebase)
      case (Value.Timestamp(micros, false), Physical.Int32, Logical.Date(mayRebase)) =>
        val isMidnight = Math.floorMod(micros, ColumnType.MicrosPerDay) == 0
        date(Math.floorDiv(micros, ColumnType.MicrosPerDay), isMidnight, mayRebase)
      case (
            Value.Timestamp(micros, utc),
            Physical.Int64,
            Logical.Timestamp(perMilli @ (1 | 1000), inUtc, mayRebase)) if utc == inUtc =>
        timestamp(micros, 1000L / perMilli, utc && mayRebase)
      case (Value.Timestamp(micros, true), Physical.Int96, Logical.SparkInt96)
          if micros >= ColumnType.FirstJulianMicros =>
        Number(micros, isExact = true)
      case _ => Unencodable(LeafResult.NotComparable)
    }

  /**
   * Returns whether a signed integer of `bits` bits can hold every value of the column type. Spark
   * truncates an INT32 without annotation when it reads fewer bits, so no comparison is valid then.
   * Spark reads nanoseconds as plain numbers.
   */
  private def holds(bits: Int, kind: ColumnType): Boolean = (kind.physical, kind.logical) match {
    case (Physical.Int32, Logical.Plain) => bits >= 32
    case (Physical.Int32, Logical.Integer(stored, true)) => bits >= stored
    case (Physical.Int32, Logical.Integer(stored, false)) => bits > stored
    case (Physical.Int64, Logical.Plain | Logical.Integer(64, true)) => bits == 64
    case (Physical.Int64, Logical.Timestamp(1000000, _, _)) => bits == 64
    case _ => false
  }

  private def real(v: Double): StoredLiteral = Number(ColumnType.realKey(v), isExact = true)

  /** Returns a literal for a column whose integers Spark reads as doubles. */
  private def asInteger(v: Double): StoredLiteral =
    if (v.isNaN) Unencodable(LeafResult.ComparedWithNaN)
    else if (v < Int.MinValue) BelowAll
    else if (v > Int.MaxValue) AboveAll
    else Number(Math.floor(v).toLong, isExact = Math.floor(v) == v)

  /**
   * 1582-10-15, the first day of the Gregorian calendar. Old writers stored earlier dates in the
   * Julian calendar. Spark rebases them to other days when it reads them, but never across this
   * day. So comparisons with this day or a later one are valid for the stored values, and
   * comparisons with earlier days are not.
   */
  private val FirstGregorianDay = -141427

  private def date(days: Long, isExact: Boolean, mayRebase: Boolean): StoredLiteral =
    if (mayRebase && days < FirstGregorianDay) Unencodable(LeafResult.Rebased)
    else Number(days, isExact)

  /**
   * 1902-01-01, in microseconds. Spark rebases instants like dates, in the writer's time zone,
   * which used local mean time until about 1900. Local timestamps are never rebased.
   */
  private val FirstSettledInstant = -2145916800000000L

  private def timestamp(micros: Long, unit: Long, mayRebase: Boolean): StoredLiteral =
    if (mayRebase && micros < FirstSettledInstant) Unencodable(LeafResult.Rebased)
    else Number(Math.floorDiv(micros, unit), isExact = Math.floorMod(micros, unit) == 0)

  /** Returns a literal for UINT_64, which Spark reads as a decimal of 20 digits. */
  private def unsigned(v: BigInteger): StoredLiteral =
    if (v.signum < 0) BelowAll
    else if (v.bitLength > 64) AboveAll
    else Number(v.longValue ^ Long.MinValue, isExact = true)

  /** The digits of the largest INT32, and of the largest INT64 as Spark counts them. */
  private val IntDigits = 10
  private val LongDigits = 20

  /**
   * Returns a literal for a number that Spark reads as a decimal. The decimal may have more digits
   * than the file's type, before and after the point. With fewer digits, Spark fails, rounds or
   * reads NULL.
   */
  private def number(literal: Value.Decimal, kind: ColumnType): StoredLiteral = {
    val (digits, scale) = (kind.physical, kind.logical) match {
      case (_, Logical.Decimal(precision, storedScale)) => (precision - storedScale, storedScale)
      case (Physical.Int32, Logical.Plain | Logical.Integer(_, true)) => (IntDigits, 0)
      case (Physical.Int64, Logical.Plain | Logical.Integer(_, true)) => (LongDigits, 0)
      case _ => (Int.MaxValue, 0)
    }
    val isWider = scale >= 0 && scale <= literal.scale &&
      digits >= 0 && digits <= literal.precision - literal.scale
    if (!isWider)
      Unencodable(LeafResult.NotComparable)
    else {
      val unit = BigInteger.TEN.pow(literal.scale - scale)
      val rest = literal.unscaled.mod(unit)
      number(literal.unscaled.subtract(rest).divide(unit), rest.signum == 0, kind.physical)
    }
  }

  private def number(floor: BigInteger, isExact: Boolean, physical: Physical): StoredLiteral = {
    val outside = if (floor.signum < 0) BelowAll else AboveAll
    physical match {
      case Physical.Int32 | Physical.Int64 =>
        if (floor.bitLength <= 63) Number(floor.longValue, isExact) else outside
      case Physical.FixedBytes(length) =>
        val bytes = floor.toByteArray
        if (bytes.length > length) outside
        else {
          val key = Array.fill[Byte](length)(if (floor.signum < 0) -1 else 0)
          System.arraycopy(bytes, 0, key, length - bytes.length, bytes.length)
          key(0) = (key(0) ^ 0x80).toByte // as in ColumnType.bytesKey
          ByteString(key, isExact)
        }
      case _ =>
        Unencodable(LeafResult.NotComparable) // in a BYTE_ARRAY, one number has many encodings
    }
  }
}
