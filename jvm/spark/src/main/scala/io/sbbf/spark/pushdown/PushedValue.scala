package io.sbbf.spark.pushdown

import java.sql.{Date, Timestamp}
import java.time.temporal.ChronoField.NANO_OF_SECOND
import java.time.temporal.TemporalAccessor
import java.time.{Instant, LocalDate}

import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime}

/** Decides which literals of a pushed filter parquet-mr compares as Spark does. */
private[spark] object PushedValue {

  /** Returns whether stored values of any file compare with `value` as Spark compares them. */
  def isSafe(value: Any): Boolean = value match {
    case null | Lost | _: Byte | _: Short => false
    case f: Float => !f.isNaN
    case d: Double => !d.isNaN
    case d: java.math.BigDecimal => d.unscaledValue.bitLength < Integer.SIZE
    case s: String => s.indexOf(Replacement) < 0
    case i: Instant => !i.isBefore(FirstSettledInstant) || isOneJulianInstant(i)
    case d: LocalDate => !isOld(d) || isOneJulianDay(d.toEpochDay.toInt)
    case _ => true
  }

  /** Returns whether Java's old classes may have `value` in another form in another zone. */
  def isOld(value: Any): Boolean = value match {
    case d: LocalDate => d.isBefore(FirstSettledDay)
    case i: Instant => i.isBefore(FirstSettledInstant)
    case _ => false
  }

  /**
   * Returns whether Spark reads exactly one day of a Julian file as this day, and pushes that
   * Julian day. All comparisons then agree, as Spark's conversion keeps the order of days.
   */
  private def isOneJulianDay(day: Int): Boolean = {
    import RebaseDateTime.{rebaseGregorianToJulianDays, rebaseJulianToGregorianDays}
    val julian = rebaseGregorianToJulianDays(day)
    (julian - 1 to julian + 1).forall(j =>
      (j == julian) == (rebaseJulianToGregorianDays(j) == day))
  }

  /**
   * Returns whether the same holds of an instant, for files written in any zone. Each of the days
   * around the instant must be one Julian day, so that both calendars are equally far apart
   * there.
   */
  private def isOneJulianInstant(instant: Instant): Boolean = {
    val day = Math.floorDiv(instant.getEpochSecond, SecondsPerDay).toInt
    !instant.isBefore(FirstInstant) && instant.isBefore(FirstZoneChange) &&
    (day - 2 to day + 2).forall(isOneJulianDay)
  }

  /** Returns the same as `isSafe`, for files that store the column as the table declares it. */
  def isSafeIfDeclared(value: Any): Boolean = value match {
    case null | Lost => false
    case f: Float => !f.isNaN
    case d: Double => !d.isNaN
    case s: String => s.indexOf(Replacement) < 0
    case _ => true
  }

  def isFloating(value: Any): Boolean = value match {
    case _: Float | _: Double => true
    case _ => false
  }

  def isNaN(value: Any): Boolean = value match {
    case f: Float => f.isNaN
    case d: Double => d.isNaN
    case _ => false
  }

  def isZero(value: Any): Boolean = value match {
    case f: Float => f == 0.0f
    case d: Double => d == 0.0
    case _ => false
  }

  def infinityLike(value: Any): Any = value match {
    case _: Float => Float.PositiveInfinity
    case _ => Double.PositiveInfinity
  }

  /** Returns both zeros of the type of `zero`, the lower one in Java's total order first. */
  def zeros(zero: Any): (Any, Any) = zero match {
    case _: Float => (-0.0f, 0.0f)
    case _ => (-0.0, 0.0)
  }

  /** Returns whether parquet-mr truncates `value` for a column of milliseconds. */
  def isSubMillis(value: Any): Boolean = value match {
    case t: TemporalAccessor =>
      t.isSupported(NANO_OF_SECOND) && t.get(NANO_OF_SECOND) % NanosPerMilli != 0
    case _ => false
  }

  /** Returns whether parquet-mr truncates `value` for an INT32 column if it is in a list. */
  def isWide(value: Any): Boolean = value match {
    case n: Long => !n.isValidInt
    case _ => false
  }

  /**
   * Returns the value in a form that is the same in every time zone. Returns [[Lost]] if the form
   * that Spark pushes may stand for another value.
   *
   * Spark pushes days and instants as Java's old classes, made in the driver's zone. Executors
   * read them in their own zones. The old classes repeat or skip days where the calendar or a
   * zone changed. More than one day, or none, then has the form.
   */
  def zoneless(value: Any): Any = value match {
    case d: Date => dayOf(d).getOrElse(Lost)
    case t: Timestamp => instantOf(t).getOrElse(Lost)
    case other => other
  }

  /** Stands for a value that a pushed filter no longer has. */
  case object Lost

  private def dayOf(pushed: Date): Option[LocalDate] = {
    val day = DateTimeUtils.fromJavaDate(pushed)
    val around = if (day < SettledDays) LongestGap else 1
    val isOnly = (day - around to day + around).forall { d =>
      (d == day) == (DateTimeUtils.fromJavaDate(DateTimeUtils.toJavaDate(d)) == day)
    }
    if (isOnly) Some(LocalDate.ofEpochDay(day.toLong)) else None
  }

  private def instantOf(pushed: Timestamp): Option[Instant] = {
    val micros = DateTimeUtils.fromJavaTimestamp(pushed)
    val instant = DateTimeUtils.microsToInstant(micros)
    val isOnly = !instant.isBefore(FirstSettledInstant) || {
      // both forms are equally far apart all around, so no other instant has this form
      val shifts = Seq(-LongestGap, 0, LongestGap).map { days =>
        val there = micros + days * MicrosPerDay
        DateTimeUtils.toJavaTimestamp(there).getTime - Math.floorDiv(there, 1000L)
      }
      shifts.distinct.size == 1
    }
    if (isOnly) Some(instant) else None
  }

  /** The character that Java puts in place of bytes that are not UTF-8; the literal lost them. */
  private val Replacement = '\ufffd'

  /**
   * A day after those that the calendars do not share, 1582-10-05 to 1582-10-14, and after the
   * ten days that Java reads them as.
   */
  private val FirstSettledDay = LocalDate.parse("1582-11-01")
  private val SettledDays = FirstSettledDay.toEpochDay.toInt

  /** A number of days; no calendar or zone skips more. */
  private final val LongestGap = 12

  /**
   * The instant two weeks after the last one at which Spark's rebasing changes in any zone
   * (julian-gregorian-rebase-micros.json).
   */
  private val FirstSettledInstant = Instant.parse("1900-01-15T00:00:00Z")

  /**
   * The first instant for `isOneJulianInstant`. Spark rebases days before year 1 in another way.
   */
  private val FirstInstant = Instant.parse("0001-02-01T00:00:00Z")

  /**
   * Zones left their local mean times from 1844 on, later than this instant. Java's old classes
   * repeat or skip minutes at those changes.
   */
  private val FirstZoneChange = Instant.parse("1800-01-01T00:00:00Z")

  private final val SecondsPerDay = 86400L
  private final val MicrosPerDay = SecondsPerDay * 1000 * 1000
  private final val NanosPerMilli = 1000000
}
