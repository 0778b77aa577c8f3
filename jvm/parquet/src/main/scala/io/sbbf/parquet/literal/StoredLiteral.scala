package io.sbbf.parquet
package literal

import java.math.BigInteger

import io.sbbf.core.Value
import io.sbbf.parquet.footer.{ColumnType, Logical, Physical}

/** A literal of a query in the terms of how a file stores the column. */
private[parquet] sealed abstract class StoredLiteral

private[parquet] object StoredLiteral {

  /** No evidence about such a column may be used for this literal. */
  final case class Refused(answer: Answer) extends StoredLiteral

  /** Equal to the key `floor` if exact, else between it and the next one. */
  final case class Number(floor: Long, isExact: Boolean) extends StoredLiteral

  /** Below every key. */
  case object BelowAll extends StoredLiteral
  final case class ByteString(key: Array[Byte]) extends StoredLiteral

  /** Wider than the file's type: no value equals it. */
  case object TooWide extends StoredLiteral

  private val AboveAll = Number(Long.MaxValue, isExact = false)

  /** Refuses every pair of types that is not listed. */
  def of(value: Value, kind: ColumnType): StoredLiteral = {
    import Physical._
    (value, kind.physical, kind.logical) match {
      case (Value.Integral(v, bits), _, _) if holds(bits, kind) => Number(v, isExact = true)
      case (Value.Bool(v), Bool, Logical.Plain) => Number(if (v) 1 else 0, isExact = true)
      case (Value.Real32(v), Real32, Logical.Plain) => real(v.toDouble)
      case (Value.Real64(v), Real64, Logical.Plain) => real(v)
      case (Value.Bytes(v, _), Bytes, Logical.Plain | Logical.Text) => ByteString(v)
      case (Value.Bytes(v, false), Bytes, Logical.Bson) => ByteString(v)
      case (Value.Date(days), Int32, Logical.Date) => date(days)
      case (Value.Timestamp(micros, utc), Int64, Logical.Timestamp(perMilli, inUtc))
          if utc == inUtc =>
        timestamp(micros, utc, perMilli)
      case (Value.Decimal(v, 20, 0), Int64, Logical.Integer(64, false)) => unsigned(v)
      case (Value.Decimal(v, precision, scale), physical, Logical.Decimal(stored, storedScale))
          if scale == storedScale && stored <= precision =>
        decimal(v, physical)
      case _ => Refused(Answer.NotComparable)
    }
  }

  /**
   * Whether a column read as a signed integer of `bits` bits can hold every value that the file
   * may. Spark cuts an INT32 without annotation when it is read as fewer bits, so then no
   * comparison holds.
   */
  private def holds(bits: Int, kind: ColumnType): Boolean = (kind.physical, kind.logical) match {
    case (Physical.Int32, Logical.Plain) => bits >= 32
    case (Physical.Int32, Logical.Integer(stored, true)) => bits >= stored
    case (Physical.Int32, Logical.Integer(stored, false)) => bits > stored
    case (Physical.Int64, Logical.Plain | Logical.Integer(64, true)) => bits == 64
    case _ => false
  }

  private def real(v: Double): StoredLiteral = Number(ColumnType.realKey(v), isExact = true)

  /**
   * 1582-10-15, the first day of the Gregorian calendar. Old writers stored dates of the Julian
   * calendar before it, and Spark rebases those when it reads them: to other days, but never
   * across this one. So comparisons with this day and later ones hold for the stored values too,
   * those with earlier ones do not.
   */
  private val FirstGregorianDay = -141427

  private def date(days: Int): StoredLiteral =
    if (days < FirstGregorianDay) Refused(Answer.Rebased) else Number(days.toLong, isExact = true)

  /**
   * 1902-01-01, in microseconds: instants are rebased like dates, in the writer's time zone,
   * whose local mean time counted until about 1900. Local timestamps are never rebased.
   */
  private val FirstSettledInstant = -2145916800000000L

  private def timestamp(micros: Long, utc: Boolean, perMilli: Int): StoredLiteral = {
    val unit = 1000L / perMilli
    if (utc && micros < FirstSettledInstant) Refused(Answer.Rebased)
    else Number(Math.floorDiv(micros, unit), isExact = Math.floorMod(micros, unit) == 0)
  }

  /** UINT_64, which Spark reads as a decimal of 20 digits. */
  private def unsigned(v: BigInteger): StoredLiteral =
    if (v.signum < 0) BelowAll
    else if (v.bitLength > 64) AboveAll
    else Number(v.longValue ^ Long.MinValue, isExact = true)

  private def decimal(unscaled: BigInteger, physical: Physical): StoredLiteral = physical match {
    case Physical.Int32 | Physical.Int64 =>
      if (unscaled.bitLength <= 63) Number(unscaled.longValue, isExact = true)
      else if (unscaled.signum < 0) BelowAll
      else AboveAll
    case Physical.FixedBytes(length) =>
      val bytes = unscaled.toByteArray
      if (bytes.length > length) TooWide
      else {
        val plain = Array.fill[Byte](length)(if (unscaled.signum < 0) -1 else 0)
        System.arraycopy(bytes, 0, plain, length - bytes.length, bytes.length)
        ByteString(ColumnType(physical, Logical.Plain).bytesKey(plain))
      }
    case _ => Refused(Answer.NotComparable) // BYTE_ARRAY has many encodings of one number
  }
}
