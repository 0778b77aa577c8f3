package io.sbbf.spark.read

import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SafeReadSuite extends AnyFunSuite {
  private val fine = java.sql.Timestamp.valueOf("2026-01-01 12:00:00.1235")
  private val millis = java.sql.Timestamp.valueOf("2026-01-01 12:00:00.123")
  private val wide = new java.math.BigDecimal("30000000.00")
  private val narrow = new java.math.BigDecimal("20000000.00")
  private val broken = "a\ufffd"
  private val long = new java.math.BigDecimal("1" * 35)
  private val leftOut = java.time.LocalDate.parse("1582-10-10")
  private val shared = java.time.LocalDate.parse("1582-11-02")
  private val settled = java.time.Instant.parse("1902-01-01T00:00:00Z")

  private val handedDown: Seq[Filter] = Seq(
    EqualTo("f", 1.5),
    EqualNullSafe("f", 1.5f),
    In("f", Array(1.0, 2.0)),
    LessThan("f", 1.0),
    LessThanOrEqual("f", -1.0),
    GreaterThan("id", 0L),
    Not(EqualTo("id", 0L)),
    IsNull("f"),
    IsNotNull("f"),
    EqualTo("s", "0.0"),
    Or(EqualTo("f", 1.5), EqualTo("id", 1L)),
    EqualTo("t", fine.toInstant),
    LessThanOrEqual("t", fine.toInstant),
    GreaterThan("t", fine.toInstant),
    LessThan("t", millis.toInstant),
    Not(EqualTo("t", millis.toInstant)),
    EqualTo("d", narrow),
    LessThan("d", narrow),
    IsNotNull("s.d"),
    StringStartsWith("s", "ä"),
    In("id", Array(5L, 4294967303L)),
    Not(EqualTo("id", 4294967303L)),
    Not(In("id", Array(5L, 7L))),
    EqualTo("day", shared),
    LessThan("day", shared),
    GreaterThan("t", settled)
  )

  private val withheld: Seq[Filter] = Seq(
    EqualTo("f", 0.0),
    EqualTo("f", -0.0f),
    EqualTo("f", Double.NaN),
    EqualNullSafe("f", 0.0),
    In("f", Array(1.0, -0.0)),
    In("f", Array(Float.NaN)),
    LessThan("f", 0.0),
    LessThanOrEqual("f", -0.0),
    LessThan("f", Double.NaN),
    GreaterThan("f", 1.0),
    GreaterThanOrEqual("f", 0.0),
    Not(EqualTo("f", 1.0)),
    Not(LessThan("f", 1.0f)),
    Not(In("f", Array(1.0))),
    Or(EqualTo("id", 1L), GreaterThan("f", 1.0)),
    Not(And(EqualTo("id", 1L), EqualTo("f", 1.0))),
    Not(EqualTo("t", fine)),
    Not(In("t", Array(millis, fine))),
    Not(GreaterThanOrEqual("t", fine.toInstant)),
    LessThan("d", wide),
    LessThanOrEqual("d", wide),
    GreaterThan("d", wide.negate),
    Not(EqualTo("d", wide)),
    IsNull("s.d"),
    IsNull("`D`"),
    IsNull("`e.f`"),
    IsNull("s.`E.f`"),
    EqualTo("s", broken),
    In("s", Array("b", broken)),
    GreaterThan("s", broken),
    StringStartsWith("s", broken),
    Not(In("id", Array(5L, 4294967303L))),
    Not(Or(EqualTo("id", 1L), In("id", Array(5L, 4294967303L)))),
    In("id", Array(null)),
    EqualNullSafe("d", null),
    EqualTo("b", 44.toByte),
    LessThan("b", 100.toShort),
    Not(EqualTo("b", 44.toByte)),
    EqualTo("d", wide),
    In("d", Array(narrow, long)),
    EqualTo("day", leftOut),
    GreaterThan("day", java.sql.Date.valueOf(leftOut)),
    Not(EqualTo("day", leftOut)),
    EqualTo("t", settled.minusMillis(1)),
    LessThan("t", java.sql.Timestamp.valueOf(leftOut.atStartOfDay)),
    In("t", Array(fine.toInstant, settled.minusSeconds(1)))
  )

  handedDown.foreach(f => test(s"hands down $f.")(assert(allowed(f) == Seq(f))))
  withheld.foreach(f => test(s"withholds $f.")(assert(allowed(f).isEmpty)))

  private def schema(metadata: Metadata) =
    StructType(
      Seq(
        StructField("f", DoubleType),
        StructField("e.f", DecimalType(9, 2)),
        StructField(
          "s",
          StructType(
            Seq(StructField("a", LongType, true, metadata), StructField("d", DecimalType(9, 2)))))
      ))
  private val plain = schema(Metadata.empty)
  private val withIds = schema(new MetadataBuilder().putLong("parquet.field.id", 1).build())

  private def allowed(filter: Filter) =
    SafeRead.allowed(Seq(filter), plain, byFieldId = true)

  Seq[Any](fine, fine.toInstant, fine.toLocalDateTime).foreach { time =>
    test(
      s"hands `< ${time.getClass.getSimpleName}` of a fraction of a millisecond down as `<=`.") {
      val same = if (time == fine) fine.toInstant else time
      assert(allowed(LessThan("t", time)) == Seq(LessThanOrEqual("t", same)))
      val both = And(LessThan("t", time), EqualTo("id", 1L))
      assert(allowed(both) == Seq(And(LessThanOrEqual("t", same), EqualTo("id", 1L))))
      assert(SafeRead.options(Seq(LessThan("t", time)), plain, byFieldId = false).size == 5)
    }
  }

  test("hands days and instants down as what they are in every zone.") {
    val (day, date) =
      (java.time.LocalDate.parse("2026-01-05"), java.sql.Date.valueOf("2026-01-05"))
    val forms = Seq[Any => Filter](
      EqualTo("t", _),
      EqualNullSafe("t", _),
      LessThan("t", _),
      LessThanOrEqual("t", _),
      GreaterThan("t", _),
      GreaterThanOrEqual("t", _))
    for (form <- forms; within <- Seq[Filter => Filter](identity, Not(_), And(IsNotNull("t"), _)))
      for ((old, same) <- Seq(date -> day, millis -> millis.toInstant))
        assert(allowed(within(form(old))) == Seq(within(form(same))))
    val In(_, values) = allowed(In("t", Array(date, null))).head
    assert(values.toSeq == Seq(day))
  }

  test("hands lists down without their NULLs, by which stock takes any file for one to ask.") {
    val In(column, values) = allowed(In("id", Array(null, 5L, null))).head
    assert(column == "id" && values.toSeq == Seq(5L))
    assert(SafeRead.options(Seq(In("id", Array(null, 5L))), plain, byFieldId = false).size == 5)
  }

  test("hands nothing down where columns are read by field id, which stock does not heed.") {
    val filter = Seq(EqualTo("s.a", 1L))
    assert(SafeRead.allowed(filter, withIds, byFieldId = true).isEmpty)
    assert(SafeRead.allowed(filter, withIds, byFieldId = false) == filter)
    assert(SafeRead.options(Nil, withIds, byFieldId = true).size == 5)
  }

  test("leaves stock alone where it is right, but for parquet-java 1.14 and 1.15.") {
    val expected = if (SafeRead.misreadsFilters) SafeRead.FiltersOff else Map.empty
    def options(schema: StructType, filters: Filter*) =
      SafeRead.options(filters, schema, byFieldId = schema eq plain)
    assert(options(withIds, EqualTo("id", 1L)) == expected)
    assert(options(plain, handedDown: _*) == expected)
    assert(options(plain, GreaterThan("id", 1L), IsNotNull("id")).isEmpty)
    assert(SafeRead.misreadsFilters == org.apache.spark.SPARK_VERSION.startsWith("4.0"))
  }

  test("switches all levels off for one filter that stock would evaluate wrongly.") {
    withheld.foreach(f =>
      assert(SafeRead.options(handedDown :+ f, plain, byFieldId = false).size == 5, f))
  }
}
