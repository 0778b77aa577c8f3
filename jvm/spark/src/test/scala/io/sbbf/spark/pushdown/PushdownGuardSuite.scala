package io.sbbf.spark.pushdown

import java.sql.{Date, Timestamp}
import java.time.{Instant, LocalDate}

import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime}
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles

/** Tests which filters parquet-mr may evaluate, in any file and in files as declared. */
class PushdownGuardSuite extends AnyFunSuite with PushdownCases {

  for (((why, (pushed, any, declared)), n) <- cases.zipWithIndex)
    test(
      s"${n + 1}. $pushed: ${any.getOrElse("withheld")}; as declared: ${declared.getOrElse("withheld")}.") {
      // as text, in which the two zeros differ
      assert(s"${inAnyFile(pushed).toList}" == s"${any.toList}", why)
      val asDeclared = guard(Seq(pushed)).pushed(asDeclared = true)
      assert(s"${asDeclared.toList}" == s"${declared.toList}", why)
    }

  test("a lower bound is pushed beside another conjunct that NaN fails.") {
    val lower = GreaterThanOrEqual("f", 1.0)
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
        assert(inAnyFile(within(form(old))) == expected)
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
    val pushed = inAnyFile(In("id", Array(null, 5L, null)))
    assert(pushed.map(_.toString) == Seq(In("id", Array(5L)).toString))
  }

  test(
    "nothing is pushed where columns are read by field id, by which parquet-mr does not find them.") {
    val filter = Seq(EqualTo("s.a", 1L))
    def of(byFieldId: Boolean) = guard(filter, withIds, byFieldId)
    assert(of(byFieldId = true).pushed(asDeclared = true).isEmpty)
    assert(of(byFieldId = false).pushed(asDeclared = false) == filter)
    assert(!of(byFieldId = true).withholdsNothing)
  }

  test("nothing is pushed on columns that share their dotted path with another column.") {
    def struct(fields: (String, DataType)*) =
      StructType(fields.map { case (name, kind) => StructField(name, kind) })
    val long = LongType
    val id = EqualTo("id", 1L)
    // the table; the filters that are pushed beside `id = 1`; whether they are withheld
    val field = Seq(EqualTo("a.b", 1L), IsNotNull("a.b"), Or(EqualTo("a.b", 1L), id))
    val column = Seq(EqualTo("`a.b`", 1L), Not(EqualTo("`a.b`", 1L)))
    val table = Seq[(StructType, Seq[Filter], Boolean)](
      (struct("a" -> struct("b" -> long), "a.b" -> long), field ++ column, true),
      (
        struct("a" -> struct("b.c" -> long), "a.b" -> struct("c" -> long)),
        Seq(EqualTo("a.`b.c`", 1L), EqualTo("`a.b`.c", 1L)),
        true),
      (struct("a" -> struct("b" -> long)), field, false),
      (struct("a" -> struct("b" -> long), "A.b" -> long), field, false)
    )
    for ((schema, filters, isWithheld) <- table; caseSensitive <- Seq(true, false)) {
      val columns = schema.add("id", LongType)
      val guard = PushdownGuard(id +: filters, columns, byFieldId = false, caseSensitive)
      for (asDeclared <- Seq(true, false))
        assert(guard.pushed(asDeclared) == (if (isWithheld) Seq(id) else id +: filters))
      assert(guard.withholdsNothing != isWithheld || PushdownGuard.misreadsFilters)
    }
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
