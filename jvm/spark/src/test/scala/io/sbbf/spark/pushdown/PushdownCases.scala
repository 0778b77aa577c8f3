package io.sbbf.spark.pushdown

import java.sql.{Date, Timestamp}
import java.time.{Instant, LocalDate, LocalDateTime}

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

/** A table of filters that Spark pushes, with what parquet-mr may evaluate of each, and why. */
private[pushdown] trait PushdownCases {
  protected val fine = Instant.parse("2026-01-01T12:00:00.123500Z")
  protected val millis = Instant.parse("2026-01-01T12:00:00.123Z")
  protected val wide = new java.math.BigDecimal("30000000.00")
  protected val narrow = new java.math.BigDecimal("20000000.00")
  protected val long = new java.math.BigDecimal("1" * 35)
  protected val broken = "a\ufffd"
  protected val beyondInt = 4294967303L
  protected val leftOut = LocalDate.parse("1582-10-10")
  protected val ancient = LocalDate.parse("1000-01-01")
  protected val afterJulianLeapDay = LocalDate.parse("1500-03-01")
  protected val modern = LocalDate.parse("1582-11-02")
  protected val settled = Instant.parse("1900-01-15T00:00:00Z")
  protected val julian = Instant.parse("1000-06-14T08:28:53.123456Z")
  protected val old = Instant.parse("1883-01-01T00:00:00Z")

  protected def schema(metadata: Metadata) = StructType(
    Seq(
      StructField("id", LongType),
      StructField("b", ByteType),
      StructField("f", DoubleType),
      StructField("f32", FloatType),
      StructField("text", StringType),
      StructField("d", DecimalType(12, 2)),
      StructField("e.f", DecimalType(9, 2)),
      StructField("day", DateType),
      StructField("t", TimestampType),
      StructField(
        "s",
        StructType(
          Seq(StructField("a", LongType, true, metadata), StructField("d", DecimalType(9, 2)))))
    ))
  protected val plain = schema(Metadata.empty)
  protected val withIds = schema(new MetadataBuilder().putLong("parquet.field.id", 1).build())

  protected def guard(filters: Seq[Filter], of: StructType = plain, byFieldId: Boolean = true) =
    PushdownGuard(filters, of, byFieldId, caseSensitive = false)

  protected def inAnyFile(filters: Filter*): Seq[Filter] =
    guard(filters).pushed(asDeclared = false)

  protected def or(column: String, lower: Any, upper: Any): Filter =
    Or(EqualTo(column, lower), EqualTo(column, upper))

  protected type Case = (Filter, Option[Filter], Option[Filter])

  /** Why; what Spark pushes; what parquet-mr evaluates in any file; what in files as declared. */
  protected val cases: Seq[(String, Case)] = {
    def because(why: String)(cases: Case*) = cases.map(why -> _)
    def same(f: Filter) = (f, Some(f), Some(f))
    def ifDeclared(f: Filter) = (f, None, Some(f))
    def never(f: Filter) = (f, None, None)
    def as(f: Filter, rewritten: Filter) = (f, Some(rewritten), Some(rewritten))
    def other(f: Filter, any: Filter, declared: Filter) = (f, Some(any), Some(declared))
    because("-0.0 equals 0.0 and NaN is greatest in Spark; parquet-mr compares bits")(
      same(EqualTo("f", 1.5)),
      same(EqualNullSafe("f", 1.5)),
      same(In("f", Array(1.0, 2.0))),
      same(LessThan("f", 1.0)),
      same(LessThan("f", 0.0)),
      same(LessThanOrEqual("f", -1.0)),
      same(IsNull("f")),
      same(IsNotNull("f")),
      same(Or(EqualTo("f", 1.5), EqualTo("id", 1L))),
      as(EqualTo("f", 0.0), or("f", -0.0, 0.0)),
      as(EqualTo("f32", -0.0f), or("f32", -0.0f, 0.0f)),
      as(EqualNullSafe("f", 0.0), or("f", -0.0, 0.0)),
      as(In("f", Array(1.0, -0.0)), Or(In("f", Array(1.0)), or("f", -0.0, 0.0))),
      as(In("f", Array(0.0)), or("f", -0.0, 0.0)),
      as(LessThanOrEqual("f", -0.0), LessThanOrEqual("f", 0.0)),
      (GreaterThanOrEqual("f", 0.0), None, Some(GreaterThanOrEqual("f", -0.0))),
      ifDeclared(GreaterThan("f", 1.0)),
      ifDeclared(GreaterThan("f", 0.0)),
      ifDeclared(Not(EqualTo("f", 1.0))),
      ifDeclared(Not(EqualTo("f", 0.0))),
      ifDeclared(Not(LessThan("f32", 1.0f))),
      never(Not(LessThan("f", 0.0))),
      ifDeclared(Not(EqualNullSafe("id", 5L))),
      ifDeclared(Not(EqualNullSafe("text", "a"))),
      ifDeclared(Not(Or(EqualNullSafe("text", "a"), EqualTo("id", 5L)))),
      never(Not(EqualNullSafe("id", null))),
      ifDeclared(Not(In("f", Array(1.0)))),
      ifDeclared(Or(EqualTo("id", 1L), GreaterThan("f", 1.0))),
      ifDeclared(Not(And(EqualTo("id", 1L), EqualTo("f", 1.0)))),
      (EqualTo("f", Double.NaN), None, Some(GreaterThan("f", Double.PositiveInfinity))),
      (
        GreaterThanOrEqual("f32", Float.NaN),
        None,
        Some(GreaterThan("f32", Float.PositiveInfinity))),
      never(In("f", Array(Float.NaN))),
      never(LessThan("f", Double.NaN)),
      never(GreaterThan("f", Double.NaN)),
      same(And(GreaterThan("f", 1.0), LessThan("f", 2.0))),
      other(
        And(GreaterThan("f", 1.0), EqualTo("id", 1L)),
        EqualTo("id", 1L),
        And(GreaterThan("f", 1.0), EqualTo("id", 1L)))
    ) ++
      because(
        "a narrower type may be stored wider, and parquet-mr drops NULL and what does not fit")(
        same(GreaterThan("id", 0L)),
        same(Not(EqualTo("id", 0L))),
        same(In("id", Array(5L, beyondInt))),
        same(Not(EqualTo("id", beyondInt))),
        same(Not(In("id", Array(5L, 7L)))),
        ifDeclared(Not(In("id", Array(5L, beyondInt)))),
        ifDeclared(Not(Or(EqualTo("id", 1L), In("id", Array(5L, beyondInt))))),
        as(In("id", Array(null, 5L, null)), In("id", Array(5L))),
        never(In("id", Array(null))),
        ifDeclared(EqualTo("b", 44.toByte)),
        ifDeclared(LessThan("b", 100.toByte)),
        ifDeclared(Not(EqualTo("b", 44.toByte)))
      ) ++
      because("a file may store fewer digits than the table declares, and count NULLs otherwise")(
        same(EqualTo("d", narrow)),
        same(LessThan("d", narrow)),
        same(IsNotNull("s.d")),
        ifDeclared(EqualTo("d", wide)),
        ifDeclared(LessThan("d", wide)),
        ifDeclared(GreaterThan("d", wide.negate)),
        ifDeclared(Not(EqualTo("d", wide))),
        ifDeclared(In("d", Array(narrow, long))),
        never(EqualNullSafe("d", null)),
        ifDeclared(IsNull("s.d")),
        ifDeclared(IsNull("s.a")), // not every writer counts the NULLs of a struct in its fields
        ifDeclared(Not(IsNotNull("s.a"))),
        same(IsNotNull("s.a")),
        ifDeclared(IsNull("`e.f`")),
        ifDeclared(Not(IsNotNull("d"))),
        never(IsNull("unknown"))
      ) ++
      because("U+FFFD may stand for any invalid bytes")(
        same(EqualTo("text", "0.0")),
        same(StringStartsWith("text", "ä")),
        never(EqualTo("text", broken)),
        never(In("text", Array("b", broken))),
        never(GreaterThan("text", broken)),
        never(StringStartsWith("text", broken)),
        never(Not(StringContains("text", broken)))
      ) ++
      because(
        "a day may be stored in the Julian calendar, and java.sql.Date has no form for some days")(
        same(EqualTo("day", modern)),
        same(LessThan("day", modern)),
        ifDeclared(EqualTo("day", leftOut)),
        same(EqualTo("day", ancient)),
        ifDeclared(EqualTo("day", afterJulianLeapDay)),
        as(EqualTo("day", Date.valueOf(ancient)), EqualTo("day", ancient)),
        as(EqualTo("day", Date.valueOf(modern)), EqualTo("day", modern)),
        never(GreaterThan("day", DateTimeUtils.toJavaDate(leftOut.toEpochDay.toInt))),
        never(Not(EqualTo("day", Date.valueOf("1582-10-15"))))
      ) ++
      because("a file may store milliseconds, or the Julian calendar")(
        same(EqualTo("t", fine)),
        same(LessThanOrEqual("t", fine)),
        same(GreaterThan("t", fine)),
        same(LessThan("t", millis)),
        same(Not(EqualTo("t", millis))),
        same(GreaterThan("t", settled)),
        as(EqualTo("t", Timestamp.from(fine)), EqualTo("t", fine)),
        other(LessThan("t", fine), LessThanOrEqual("t", fine), LessThan("t", fine)),
        ifDeclared(Not(EqualTo("t", fine))),
        ifDeclared(Not(In("t", Array(millis, fine)))),
        ifDeclared(Not(GreaterThanOrEqual("t", fine))),
        ifDeclared(EqualTo("t", old)),
        ifDeclared(EqualTo("t", Instant.parse("1500-02-28T00:00:00Z"))),
        same(EqualTo("t", julian)),
        other(LessThan("t", julian), LessThanOrEqual("t", julian), LessThan("t", julian)),
        ifDeclared(In("t", Array(fine, settled.minusSeconds(1)))),
        never(LessThan("t", Timestamp.valueOf(leftOut.atStartOfDay))),
        (
          LessThan("t", LocalDateTime.parse("2026-01-01T12:00:00.1235")),
          Some(LessThanOrEqual("t", LocalDateTime.parse("2026-01-01T12:00:00.1235"))),
          Some(LessThan("t", LocalDateTime.parse("2026-01-01T12:00:00.1235"))))
      )
  }
}
