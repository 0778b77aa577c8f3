package io.sbbf.spark.pushdown

import java.sql.{Date, Timestamp}
import java.time.{Instant, LocalDate, LocalDateTime}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime}
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.prune.{FilePruning, FileStorage, ScanPruning}
import io.sbbf.parquet.testing.TestFiles

class PushdownGuardSuite extends AnyFunSuite {
  private val fine = Instant.parse("2026-01-01T12:00:00.123500Z")
  private val millis = Instant.parse("2026-01-01T12:00:00.123Z")
  private val wide = new java.math.BigDecimal("30000000.00")
  private val narrow = new java.math.BigDecimal("20000000.00")
  private val long = new java.math.BigDecimal("1" * 35)
  private val broken = "a\ufffd"
  private val beyondInt = 4294967303L
  private val leftOut = LocalDate.parse("1582-10-10")
  private val ancient = LocalDate.parse("1000-01-01")
  private val afterJulianLeapDay = LocalDate.parse("1500-03-01")
  private val modern = LocalDate.parse("1582-11-02")
  private val settled = Instant.parse("1900-01-15T00:00:00Z")
  private val julian = Instant.parse("1000-06-14T08:28:53.123456Z")
  private val old = Instant.parse("1883-01-01T00:00:00Z")

  private def schema(metadata: Metadata) = StructType(
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
  private val plain = schema(Metadata.empty)
  private val withIds = schema(new MetadataBuilder().putLong("parquet.field.id", 1).build())

  private def guard(filters: Seq[Filter], of: StructType = plain, byFieldId: Boolean = true) =
    PushdownGuard(filters, of, byFieldId, caseSensitive = false)

  private def allowed(level: PushdownLevel, filters: Filter*): Seq[Filter] =
    guard(filters).pushed(level)

  private def or(column: String, lower: Any, upper: Any): Filter =
    Or(EqualTo(column, lower), EqualTo(column, upper))

  private type Case = (Filter, Option[Filter], Option[Filter])

  /** Why; what Spark pushes; what parquet-mr evaluates in any file; what in files as declared. */
  private val cases: Seq[(String, Case)] = {
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

  for (((why, (pushed, any, declared)), n) <- cases.zipWithIndex)
    test(
      s"${n + 1}. $pushed: ${any.getOrElse("withheld")}; as declared: ${declared.getOrElse("withheld")}.") {
      // as text, in which the two zeros differ
      assert(s"${allowed(PushdownLevel.AnyFile, pushed).toList}" == s"${any.toList}", why)
      assert(s"${allowed(PushdownLevel.AsDeclared, pushed).toList}" == s"${declared.toList}", why)
      assert(allowed(PushdownLevel.Nothing, pushed).isEmpty, why)
    }

  test("a lower bound is pushed beside another conjunct that NaN fails.") {
    val lower = GreaterThanOrEqual("f", 1.0)
    def inAnyFile(filters: Filter*) = allowed(PushdownLevel.AnyFile, filters: _*)
    for (other <- Seq(
        LessThan("f", 2.0),
        LessThanOrEqual("f", 2.0),
        EqualTo("f", 1.5),
        In("f", Array(1.5)),
        Or(EqualTo("f", 1.5), LessThan("f", 0.5)),
        And(LessThan("f", 2.0), EqualTo("id", 1L))
      ))
      assert(inAnyFile(lower, other) == Seq(lower, other))
    for (other <- Seq(
        LessThan("f32", 2.0f),
        LessThanOrEqual("f", Double.NaN),
        GreaterThan("f", 3.0),
        In("f", Array(Double.NaN)),
        Or(EqualTo("f", 1.5), EqualTo("id", 1L))))
      assert(!inAnyFile(lower, other).contains(lower), other)
  }

  test("hands days and instants down as what they are in every zone.") {
    val forms = Seq[Any => Filter](
      EqualTo("t", _),
      EqualNullSafe("t", _),
      LessThan("t", _),
      LessThanOrEqual("t", _),
      GreaterThan("t", _),
      GreaterThanOrEqual("t", _))
    for (form <- forms; within <- Seq[Filter => Filter](identity, Not(_), And(IsNotNull("t"), _)))
      for ((old, same) <- Seq(Date.valueOf(modern) -> modern, Timestamp.from(millis) -> millis)) {
        val expected = within(form(same)) match {
          case Not(EqualNullSafe(_, _)) => Nil
          case other => Seq(other)
        }
        assert(allowed(PushdownLevel.AnyFile, within(form(old))) == expected)
      }
  }

  test("every day and many instants since year 1 are handed down as themselves or not at all.") {
    val days =
      LocalDate.parse("0001-01-01").toEpochDay.toInt to 25000 by TestFiles.stride
    for (zone <- Seq("UTC", "America/Los_Angeles", "Pacific/Apia", "Asia/Manila"))
      PushdownGuardSuite.inZone(zone) {
        val found = days.map { day =>
          val pushed = DateTimeUtils.toJavaDate(day)
          day -> PushedValue.zoneless(pushed)
        }
        val wrong = found.filterNot { case (day, form) =>
          form == PushedValue.Lost || form == LocalDate.ofEpochDay(day.toLong)
        }
        val lost = found.count(_._2 == PushedValue.Lost)
        assert(wrong.isEmpty, s"$zone: ${wrong.take(3)}")
        assert(lost < 40, s"$zone: $lost days are lost")
        val lostInstants = days.by(7).count { day =>
          val micros = day * 86400L * 1000000 + 12345678901L
          val pushed = DateTimeUtils.toJavaTimestamp(micros)
          val instant =
            Instant.ofEpochSecond(0).plus(micros, java.time.temporal.ChronoUnit.MICROS)
          val form = PushedValue.zoneless(pushed)
          assert(form == PushedValue.Lost || form == instant, s"$zone: $instant")
          form == PushedValue.Lost
        }
        assert(lostInstants < days.by(7).size / 50, s"$zone: $lostInstants instants are lost")
      }
  }

  private val zones = java.util.TimeZone.getAvailableIDs.toSeq

  test("old instants that may be pushed to any file are stored as one instant, in every zone.") {
    import RebaseDateTime.{rebaseGregorianToJulianMicros, rebaseJulianToGregorianMicros}
    val seed = System.nanoTime()
    val random = new scala.util.Random(seed)
    val day = 86400L * 1000000
    val first = LocalDate.parse("0001-01-01").toEpochDay
    val days = LocalDate.parse("1910-01-01").toEpochDay - first
    val pushed = Seq
      .fill(200000)((first * day + (random.nextDouble() * days * day).toLong))
      .filter(micros => PushedValue.isSafe(DateTimeUtils.microsToInstant(micros)))
    assert(pushed.size > 120000, s"of 200,000; seed $seed")
    for (micros <- pushed) {
      val zone = zones(random.nextInt(zones.size))
      val stored = rebaseGregorianToJulianMicros(zone, micros)
      for (step <- Seq(0L, 1L, 1000000L, day / 24, day, 30 * day); sign <- Seq(-1, 1)) {
        val read = rebaseJulianToGregorianMicros(zone, stored + sign * step)
        assert(
          read.compare(micros) == (sign * step).compare(0L),
          s"${DateTimeUtils.microsToInstant(micros)} in $zone, $step before or after; seed $seed")
      }
    }
  }

  test("a list is pushed without its NULLs.") {
    val pushed = allowed(PushdownLevel.AnyFile, In("id", Array(null, 5L, null)))
    assert(pushed.map(_.toString) == Seq(In("id", Array(5L)).toString))
  }

  test(
    "nothing is pushed where columns are read by field id, by which parquet-mr does not find them.") {
    val filter = Seq(EqualTo("s.a", 1L))
    def of(byFieldId: Boolean) = guard(filter, withIds, byFieldId)
    assert(of(byFieldId = true).pushed(PushdownLevel.AsDeclared).isEmpty)
    assert(of(byFieldId = false).pushed(PushdownLevel.AnyFile) == filter)
    assert(!of(byFieldId = true).withholdsNothing)
  }

  /** A file as planning found it. */
  private def file(storage: FileStorage, filtersRejected: Map[String, Int] = Map.empty) =
    FilePruning(1, 1, 10L, 100L, None, Map.empty, Map.empty, filtersRejected, storage)

  private def known(corrupt: Boolean = false, short: Boolean = false, meets: Boolean = false) =
    FileStorage.Known(corrupt, short, meets)

  private def scan(
      filters: Seq[Filter],
      files: Seq[FilePruning] = Seq(file(known())),
      stoppedEarly: Boolean = false,
      mayListOthers: Boolean = false,
      hasRuntimeFilters: Boolean = false): PlannedScan = {
    val statuses = files.indices.map(i =>
      new FileStatus(100L, false, 1, 100L, 0L, new Path(s"/part-$i.parquet")))
    val pruning =
      new ScanPruning(
        RowGroupPredicate.Unknown(""),
        statuses,
        files.toIndexedSeq,
        stoppedEarly,
        filesDeclined = 0,
        nanos = 0)
    PlannedScan(Some(pruning), guard(filters), mayListOthers, hasRuntimeFilters)
  }

  private val safe = EqualTo("id", 1L)
  private val needsInt8 = EqualTo("b", 1.toByte)

  test("one decision sets read options, filters by file, and readers without filters.") {
    val all = ReadPolicy.NoParquetFilters
    val (bloom, none) = (ReadPolicy.NoBloom, Map.empty[String, String])
    val lookup = Seq(safe)
    // why; what planning found; read options; whether some files are read without filters
    val table = Seq[(String, PlannedScan, Map[String, String], Boolean)](
      ("planning probed every filter", scan(lookup), bloom, false),
      ("tasks know more than planning", scan(lookup, hasRuntimeFilters = true), misread, true),
      ("a sample stopped planning", scan(lookup, stoppedEarly = true), bloom, true),
      (
        "planning rejected a filter",
        scan(lookup, Seq(file(known(), Map("no room" -> 1))), hasRuntimeFilters = true),
        bloom,
        true),
      ("the listing may change", scan(lookup, mayListOthers = true), all ++ bloom, true),
      (
        "a file has corrupt statistics",
        scan(lookup, Seq(file(known()), file(known(corrupt = true)))),
        all ++ bloom,
        true),
      (
        "parquet-mr fails at short decimals",
        scan(lookup, Seq(file(known(short = true)))),
        all ++ bloom,
        true),
      (
        "a file could not be read",
        scan(lookup, Seq(file(FileStorage.Unreadable))),
        all ++ bloom,
        true),
      ("planning checked other filters", scan(Nil), bloom, true)
    )
    for ((why, planned, options, isUnfiltered) <- table) {
      val policy = guard(lookup).decide(planned, isSafe = true)
      assert(policy.options == options, why)
      assert(policy.needsUnfilteredRead == isUnfiltered, why)
      assert(policy.anyFile == lookup && !policy.differsByFile, why)
      val unsafe = guard(lookup).decide(planned, isSafe = false)
      assert(unsafe.options == (if (planned.disablesTaskBloom) bloom else none), why)
      assert(unsafe.anyFile == lookup && !unsafe.needsUnfilteredRead, why)
    }
  }

  test("files are read with more filters where planning checked how they store the columns.") {
    val filters = Seq(needsInt8)
    val policy = guard(filters).decide(scan(filters), isSafe = true)
    assert(policy.anyFile.isEmpty && policy.asDeclared == filters && policy.differsByFile)
    val later = guard(filters).decide(scan(Nil), isSafe = true)
    assert(later.asDeclared.isEmpty, "pushed after planning")
  }

  test("a file that was not read is read like the worst of the others.") {
    import PushdownLevel._
    // storage of a file; its level; the level of an unread file beside it
    val table = Seq(
      (known(meets = true), AsDeclared, AnyFile),
      (known(), AnyFile, AnyFile),
      (known(corrupt = true, meets = true), Nothing, Nothing),
      (known(short = true, meets = true), Nothing, Nothing),
      (FileStorage.Unreadable, Nothing, Nothing)
    )
    for ((storage, level, unread) <- table) {
      val files = Seq(file(storage), file(FileStorage.Unread))
      val levelOf = PlannedScan.levels(scan(Seq(safe), files).pruning.get)
      assert(files.map(levelOf) == Seq(level, unread), storage)
    }
  }

  /** What is disabled for a lookup whose filters planning did not probe. */
  private lazy val misread: Map[String, String] =
    if (PushdownGuard.misreadsFilters) ReadPolicy.NoBloom else Map.empty

  private def options(filters: Filter*): Map[String, String] =
    guard(filters).decide(scan(filters, hasRuntimeFilters = true), isSafe = true).options

  test(
    "parquet-mr evaluates all that loses no row as it is pushed, bloom filters of 1.14 and 1.15 aside.") {
    assert(options(EqualTo("id", 1L)) == misread)
    assert(options(GreaterThan("id", 1L), IsNotNull("id")).isEmpty)
    assert(PushdownGuard.misreadsFilters == org.apache.spark.SPARK_VERSION.startsWith("4.0"))
  }

  test("all checks are off for one filter that parquet-mr would evaluate otherwise.") {
    for ((_, (filter, any, _)) <- cases) {
      val zoned = PushedFilterRewriter.withoutZone(filter)
      val isUnchanged = any.map(_.toString).contains(zoned.toString) &&
        !PushedFilterRewriter.values(zoned).exists(PushedValue.isOld)
      assert((options(safe, filter).size == 5) == !isUnchanged, filter)
      assert(
        guard(Seq(safe, filter)).withholdsNothing == (isUnchanged && misread.isEmpty),
        filter)
    }
  }

  test("all checks are off where Spark may push more than is known.") {
    val more =
      PushdownGuard(
        Seq(safe),
        plain,
        byFieldId = false,
        caseSensitive = false,
        mayPushMore = true)
    assert(!more.withholdsNothing && guard(Seq(IsNotNull("id"))).withholdsNothing)
  }

  test("what was found of files covers filters on the same columns only.") {
    def covers(planned: PushdownGuard, reading: PushdownGuard) =
      reading.requirements.areCoveredBy(planned.requirements)
    val (bytes, reals) = (guard(Seq(EqualTo("b", 1.toByte))), guard(Seq(GreaterThan("f", 1.0))))
    val both = guard(Seq(EqualTo("b", 1.toByte), GreaterThan("f", 1.0)))
    assert(covers(both, bytes) && covers(both, reals) && covers(bytes, bytes))
    assert(!covers(bytes, both) && !covers(bytes, reals))
    assert(covers(guard(Nil), guard(Seq(EqualTo("id", 1L)))))
    val nulls = guard(Seq(Not(EqualNullSafe("text", "a"))))
    assert(covers(nulls, nulls) && !covers(both, nulls))
    assert(covers(guard(Nil), guard(Seq(EqualNullSafe("text", "a")))))
  }
}

private object PushdownGuardSuite {
  def inZone[T](zone: String)(body: => T): T = {
    val before = java.util.TimeZone.getDefault
    java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(zone))
    try body
    finally java.util.TimeZone.setDefault(before)
  }
}
