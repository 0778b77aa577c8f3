package io.sbbf.spark.predicate.cast

import java.time.temporal.ChronoUnit.MICROS
import java.time.{Instant, LocalDate, ZoneId}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And => _, In => _, IsNotNull => _, Or => _, _}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.spark.column.Column
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/** Tests comparisons of local times where clocks skip an hour, or show one twice. */
class LocalTimeCastSuite extends AnyFunSuite {
  private val instants = BoundReference(0, TimestampType, nullable = true)

  private def cast(to: DataType, zone: String, child: Expression = instants) =
    Cast(child, to, Some(zone), EvalMode.ANSI)
  private def local(to: DataType, zone: String): Option[LocalTimeCast] = of(cast(to, zone))
  private def of(cast: Cast): Option[LocalTimeCast] =
    LocalTimeCast.of(Column(ColumnPath.named(Seq("c")), TimestampType), cast)

  test("only casts of an instant itself to a date or to a local timestamp are supported.") {
    val ntz = BoundReference(0, TimestampNTZType, nullable = true)
    val nested = cast(TimestampType, "UTC", cast(TimestampNTZType, "UTC"))
    val hits = Seq(cast(DateType, "UTC"), cast(TimestampNTZType, "UTC"))
    val misses = Seq(
      cast(StringType, "UTC"),
      cast(LongType, "UTC"),
      cast(DateType, "UTC", ntz),
      cast(DateType, "UTC", nested),
      cast(TimestampNTZType, "UTC", Add(instants, instants))
    )
    hits.foreach(c => assert(of(c).isDefined, c.sql))
    misses.foreach(c => assert(of(c).isEmpty, c.sql))
  }

  private def leaf(test: Test) = Leaf(Seq("c"), test)
  private def micros(utc: String): Long = MICROS.between(Instant.EPOCH, Instant.parse(utc))
  private def instant(micros: Long) = Value.Timestamp(micros, utc = true)
  private def since(micros: Long) = leaf(Greater(instant(micros), orEqual = true))
  private def before(micros: Long) = leaf(Less(instant(micros), orEqual = false))

  // each day with its first instant and that of the next day, 23 to 25 hours later
  private val days = Seq(
    ("Europe/Berlin", "2024-03-31", "2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"),
    ("Europe/Berlin", "2024-10-27", "2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z"),
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
    ("America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"),
    ("UTC", "1969-12-31", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z"),
    ("+05:30", "2024-03-31", "2024-03-30T18:30:00Z", "2024-03-31T18:30:00Z")
  )

  for ((zone, day, first, next) <- days) test(s"$day in $zone lasts from $first to $next.") {
    val date = local(DateType, zone).get
    val v = LocalDate.parse(day).toEpochDay.toInt
    val (start, end) = (micros(first), micros(next))
    assert(date.oneOf(Seq(v)) == Or(Seq(And(Seq(since(start), before(end))))))
    assert(date.noneOf(Seq(v)) == And(Seq(Or(Seq(before(start), since(end))))))
    assert(date.less(v, orEqual = false) == before(start))
    assert(date.less(v, orEqual = true) == before(end))
    assert(date.greater(v, orEqual = false) == since(end))
    assert(date.greater(v, orEqual = true) == since(start))
  }

  // each local time with the instants at which clocks show it, or skip it
  private val times = Seq(
    ("Europe/Berlin", "2024-10-27T02:30", Seq("2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z")),
    (
      "America/Sao_Paulo",
      "2018-02-17T23:30",
      Seq("2018-02-18T01:30:00Z", "2018-02-18T02:30:00Z")),
    ("America/Sao_Paulo", "2018-02-18T00:00", Seq("2018-02-18T03:00:00Z")),
    ("UTC", "2024-10-27T02:30", Seq("2024-10-27T02:30:00Z")),
    ("+05:30", "2024-10-27T02:30", Seq("2024-10-26T21:00:00Z"))
  )
  private val skipped = Seq(
    ("Europe/Berlin", "2024-03-31T02:30", "2024-03-31T01:00:00Z"),
    ("America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00:00Z")
  )

  for ((zone, time, instants) <- times)
    test(s"$time in $zone is ${instants.mkString(" and ")}.") {
      val ntz = local(TimestampNTZType, zone).get
      val v = micros(s"$time:00Z")
      val shown = instants.map(micros)
      assert(ntz.oneOf(Seq(v)) == leaf(In(shown.map(instant))))
      assert(ntz.noneOf(Seq(v)) == leaf(NotIn(shown.map(instant))))
      assert(ntz.less(v, orEqual = false) == before(shown.last))
      assert(ntz.less(v, orEqual = true) == before(shown.last + 1))
      assert(ntz.greater(v, orEqual = false) == since(shown.head + 1))
      assert(ntz.greater(v, orEqual = true) == since(shown.head))
    }

  for ((zone, time, change) <- skipped) test(s"$time in $zone is skipped at $change.") {
    val ntz = local(TimestampNTZType, zone).get
    val v = micros(s"$time:00Z")
    assert(ntz.oneOf(Seq(v)) == False)
    assert(ntz.noneOf(Seq(v)) == leaf(IsNotNull))
    for (orEqual <- Seq(false, true)) {
      assert(ntz.less(v, orEqual) == before(micros(change)))
      assert(ntz.greater(v, orEqual) == since(micros(change)))
    }
  }

  test("literals beyond the instants of a Long are unsupported.") {
    val date = local(DateType, "UTC").get
    val ntz = local(TimestampNTZType, "America/Sao_Paulo").get
    for ((c, v) <- Seq(date -> Int.MaxValue, date -> Int.MinValue, ntz -> Long.MaxValue)) {
      assert(c.less(v, orEqual = false) == Untranslatable)
      assert(c.greater(v, orEqual = true) == Untranslatable)
      assert(!c.oneOf(Seq(v)).canPrune && !c.noneOf(Seq(v)).canPrune)
    }
    assert(ntz.less(Long.MinValue, orEqual = false) != Untranslatable)
  }

  for {
    zone <- Seq("Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "UTC", "+05:30")
    to <- Seq(DateType, TimestampNTZType)
  } test(s"comparisons of a ${to.sql} in $zone find the instants that Spark finds.") {
    val shown = cast(to, zone)
    for (change <- ClockChange.all(ZoneId.of(zone))) {
      val locals = change.near.map(v => v -> shown.eval(InternalRow(v)))
      // the next days, and local times that are skipped
      val others = locals.map(_._2).flatMap {
        case day: Int => Seq(day - 1, day + 1)
        case micros: Long => Seq(micros + change.micros)
      }
      for {
        value <- (locals.map(_._2) ++ others).distinct
        (comparison, predicate) <-
          CastChain.comparisons(local(to, zone).get, to, value, others.head)
        (v, shownThen) <- locals
      } {
        val isTrue = comparison.eval(InternalRow(shownThen)) == true
        val isHeld = UnwrapCastSuite.holds(predicate, v, TimestampType)
        if (isTrue != isHeld && (isTrue || !change.isShownTwice(v)))
          fail(s"$comparison for $v: $predicate")
      }
    }
  }
}
