package io.sbbf.spark.read

import java.sql.{Date, Timestamp}
import java.time.temporal.ChronoField.NANO_OF_SECOND
import java.time.temporal.TemporalAccessor
import java.time.{Instant, LocalDate, ZoneId}
import java.util.Locale

import org.apache.parquet.Version
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

import io.sbbf.spark.FieldId

/**
 * Which predicates must not reach stock Parquet's own checks, for those would lose rows. Spark evaluates every
 * predicate again above the scan, so handing one down less only reads more.
 *
 *   - Of floating-point columns they compare raw bits or Java's total order, where Spark has 0.0 = -0.0 and NaN
 *     above all: a filter or a dictionary with -0.0 loses `= 0.0` and `>= 0.0`; statistics, which leave NaN out,
 *     lose `> x` and `<> x`.
 *   - A time is cut down to the milliseconds that a file stores: `< 0.5 ms` loses 0 ms. A decimal is cut down to the
 *     32 or 64 bits of a file whose column is narrower than the table's, and where it does not fit the file's bytes the
 *     task fails; an integer of a list to 32 bits. Bytes and shorts are cut out of any integer of the file, which
 *     stock compares as it is. Text is made of bytes, whatever they are.
 *   - Days and instants become those of Java's old classes and back, which some old ones do not survive
 *     ([[FirstSettledDay]], [[FirstSettledInstant]]), nor days that a zone has skipped: midnight of the driver's zone may be another day of the task's.
 *   - Of a list stock looks at the first value alone to tell whether the file can be asked: NULL says yes.
 *   - `IS NULL` asks the file for NULLs, where the row-based reader makes them of decimals that do not fit.
 *   - They find columns by name, also where the session reads them by field id.
 *   - parquet-java 1.14 and 1.15 ([[misreadsFilters]]).
 */
private[spark] object SafeRead {

  /** The Hadoop keys of every level at which parquet-mr drops row groups, pages or rows. */
  val LevelsOff: Map[String, String] =
    Seq("stats", "dictionary", "bloom", "columnindex", "record-level")
      .map(l => s"parquet.filter.$l.enabled" -> "false")
      .toMap

  val FiltersOff: Map[String, String] = Map("parquet.filter.bloom.enabled" -> "false")

  /** Whether stock takes a short read of a filter for the whole of it, as it did until 1.16 (GH-3249). */
  val misreadsFilters: Boolean = {
    // by reflection, for the compiler would put in the version that it was compiled against
    val version = classOf[Version].getField("VERSION_NUMBER").get(null).toString
    Seq("1.14.", "1.15.").exists(version.startsWith)
  }

  /**
   * The read options that switch off what `filters` must not meet; empty if stock may answer them.
   *
   * @param filters that stock is handed
   * @param schema of the files' columns
   * @param byFieldId whether the session reads Parquet columns by field id
   */
  def options(filters: Seq[Filter], schema: StructType, byFieldId: Boolean): Map[String, String] =
    if (byFieldId && hasFieldIds(schema) || !filters.forall(isSafe(_, schema))) LevelsOff
    else if (misreadsFilters && filters.exists(asksFilter)) FiltersOff
    else Map.empty

  /** Of the filters on columns of `schema`, those that stock may be handed: it loses no row to them. */
  def allowed(filters: Seq[Filter], schema: StructType, byFieldId: Boolean): Seq[Filter] =
    if (byFieldId && hasFieldIds(schema)) Nil
    else filters.map(f => weakened(withoutZone(f))).filter(isSafe(_, schema))

  /** Whether stock looks for the filter's values in bloom filters. */
  private def asksFilter(filter: Filter): Boolean = filter match {
    case And(left, right) => asksFilter(left) || asksFilter(right)
    case Or(left, right) => asksFilter(left) || asksFilter(right)
    case Not(child) => asksFilter(child) // parquet-mr drives NOT down to the comparisons
    case EqualTo(_, _) | EqualNullSafe(_, _) | In(_, _) => true
    case _ => false
  }

  private def hasFieldIds(dataType: DataType): Boolean = dataType match {
    case StructType(fields) =>
      fields.exists(f => f.metadata.contains(FieldId.Key) || hasFieldIds(f.dataType))
    case ArrayType(element, _) => hasFieldIds(element)
    case MapType(key, value, _) => hasFieldIds(key) || hasFieldIds(value)
    case _ => false
  }

  private def isSafe(filter: Filter, schema: StructType): Boolean = filter match {
    case And(left, right) => isSafe(left, schema) && isSafe(right, schema)
    case Or(left, right) => isSafe(left, schema) && isSafe(right, schema)
    case EqualTo(_, value) => isOrdinary(value)
    case EqualNullSafe(_, value) => isOrdinary(value)
    case In(_, values) => values.nonEmpty && values.forall(isOrdinary)
    case LessThan(_, value) => isOrdinary(value) && !isFine(value)
    case LessThanOrEqual(_, value) => isOrdinary(value)
    case IsNull(column) => !hasDecimal(schema, column)
    case Not(child) =>
      !values(child).exists(v => isReal(v) || isFine(v) || !isOrdinary(v)) &&
      !lists(child).exists(isLong)
    case other => !values(other).exists(v => isReal(v) || !isOrdinary(v))
  }

  /** With days and instants that are the same in every zone; made where they came from, on the driver. */
  private def withoutZone(filter: Filter): Filter = filter match {
    case And(left, right) => And(withoutZone(left), withoutZone(right))
    case Or(left, right) => Or(withoutZone(left), withoutZone(right))
    case Not(child) => Not(withoutZone(child))
    case EqualTo(column, value) => EqualTo(column, zoneless(value))
    case EqualNullSafe(column, value) => EqualNullSafe(column, zoneless(value))
    case LessThan(column, value) => LessThan(column, zoneless(value))
    case LessThanOrEqual(column, value) => LessThanOrEqual(column, zoneless(value))
    case GreaterThan(column, value) => GreaterThan(column, zoneless(value))
    case GreaterThanOrEqual(column, value) => GreaterThanOrEqual(column, zoneless(value))
    case In(column, values) => In(column, values.map(zoneless))
    case other => other
  }

  private def zoneless(value: Any): Any = value match {
    case t: Timestamp => DateTimeUtils.microsToInstant(DateTimeUtils.fromJavaTimestamp(t))
    case d: Date => DateTimeUtils.daysToLocalDate(DateTimeUtils.fromJavaDate(d))
    case other => other
  }

  /**
   * Finer than the file's unit stock rounds down, so that `<` takes the unit itself away. No row is in a list for the
   * sake of its NULLs.
   */
  private def weakened(filter: Filter): Filter = filter match {
    case And(left, right) => And(weakened(left), weakened(right))
    case Or(left, right) => Or(weakened(left), weakened(right))
    case LessThan(column, value) if isFine(value) => LessThanOrEqual(column, value)
    case In(column, values) if values.contains(null) => In(column, values.filter(_ != null))
    case other => other
  }

  /**
   * What stock finds wherever Spark does: no zero, of which there are two, no NaN, no text that is not UTF-8, no NULL,
   * no part of a file's integer, no decimal of more than the 32 bits that a file may have for it, no day or instant that
   * is not settled.
   */
  private def isOrdinary(value: Any): Boolean = value match {
    case null | _: Byte | _: Short => false
    case f: Float => f != 0.0f && !f.isNaN
    case d: Double => d != 0.0 && !d.isNaN
    case d: java.math.BigDecimal => d.unscaledValue.bitLength < Integer.SIZE
    case s: String => s.indexOf(Replacement) < 0
    case t: Timestamp => !t.toInstant.isBefore(FirstSettledInstant)
    case t: Instant => !t.isBefore(FirstSettledInstant)
    case d: Date => isSettled(d.toLocalDate)
    case d: LocalDate => isSettled(d)
    case _ => true
  }

  private def isSettled(day: LocalDate): Boolean =
    !day.isBefore(FirstSettledDay) && (-1 to 1).forall(n => isInZone(day.plusDays(n.toLong)))

  /** Some zones crossed the date line: Java's old class has another day for the one that they skipped. */
  private def isInZone(day: LocalDate): Boolean =
    day.atStartOfDay(ZoneId.systemDefault).toLocalDate == day

  /** After those that the calendars do not share, 1582-10-05 to 1582-10-14, and ten more that Java takes them for. */
  private val FirstSettledDay = LocalDate.parse("1582-11-01")

  /** Zones left their local mean times until 1900, at which Java's old classes repeat or skip minutes. */
  private val FirstSettledInstant = Instant.parse("1902-01-01T00:00:00Z")

  /** What Java puts in the place of bytes that are no UTF-8: the filter no longer has them. */
  private val Replacement = '\ufffd'

  private def isReal(value: Any): Boolean = value match {
    case _: Float | _: Double => true
    case _ => false
  }

  /** More than the 32 bits to which stock cuts a list's integers for a file that stores no more. */
  private def isLong(value: Any): Boolean = value match {
    case n: Long => !n.isValidInt
    case _ => false
  }

  /** Finer than the milliseconds that a file may store. */
  private def isFine(value: Any): Boolean = value match {
    case t: Timestamp => t.getNanos % NanosPerMilli != 0
    case t: TemporalAccessor =>
      t.isSupported(NANO_OF_SECOND) && t.get(NANO_OF_SECOND) % NanosPerMilli != 0
    case _ => false
  }

  private val NanosPerMilli = 1000000

  /** The values of its lists. */
  private def lists(filter: Filter): Seq[Any] = filter match {
    case Not(child) => lists(child)
    case And(left, right) => lists(left) ++ lists(right)
    case Or(left, right) => lists(left) ++ lists(right)
    case In(_, values) => values.toSeq
    case _ => Nil
  }

  private def values(filter: Filter): Seq[Any] = filter match {
    case Not(child) => values(child)
    case And(left, right) => values(left) ++ values(right)
    case Or(left, right) => values(left) ++ values(right)
    case In(_, values) => values.toSeq
    case EqualTo(_, value) => Seq(value)
    case EqualNullSafe(_, value) => Seq(value)
    case LessThan(_, value) => Seq(value)
    case LessThanOrEqual(_, value) => Seq(value)
    case GreaterThan(_, value) => Seq(value)
    case GreaterThanOrEqual(_, value) => Seq(value)
    case StringStartsWith(_, value) => Seq(value)
    case StringEndsWith(_, value) => Seq(value)
    case StringContains(_, value) => Seq(value)
    case _ => Nil
  }

  /** Whether a column of that name may be DECIMAL, of which the row-based reader makes NULLs that no file has. */
  private def hasDecimal(dataType: DataType, column: String): Boolean = dataType match {
    case StructType(fields) =>
      fields.exists { f =>
        f.dataType.isInstanceOf[DecimalType] && isNamed(f, column) ||
        hasDecimal(f.dataType, column)
      }
    case _ => false
  }

  private def isNamed(field: StructField, column: String): Boolean =
    s".${bare(column)}".endsWith(s".${bare(field.name)}")

  /** Names with a dot are quoted. */
  private def bare(name: String): String = name.replace("`", "").toLowerCase(Locale.ROOT)
}
