package io.sbbf.parquet.eval

import org.apache.parquet.format._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value._
import io.sbbf.core.predicate.Verdict.{AllMatch, CannotMatch, MightMatch}
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.testing.SyntheticFooter

/** What null counts and bounds prove. */
final class FooterEvidenceSuite extends AnyFunSuite {
  import SyntheticFooter._

  private def integer(bits: Int, signed: Boolean) =
    LogicalType.INTEGER(new IntType(bits.toByte, signed))
  private val string = LogicalType.STRING(new StringType)
  private val date = LogicalType.DATE(new DateType)
  private def timestamp(unit: TimeUnit, utc: Boolean) =
    LogicalType.TIMESTAMP(new TimestampType(utc, unit))
  private val millis = TimeUnit.MILLIS(new MilliSeconds)
  private val micros = TimeUnit.MICROS(new MicroSeconds)

  private val Int32 = Column(Type.INT32)
  private val Int64 = Column(Type.INT64)
  private val Text = Column(Type.BYTE_ARRAY, string)

  test("orders are compared exactly at the bounds") {
    // column min..max 10..20: test -> verdict
    def less(v: Long, orEqual: Boolean) = Less(IntegerLiteral(v, 64), orEqual)
    def greater(v: Long, orEqual: Boolean) = Greater(IntegerLiteral(v, 64), orEqual)
    val table = Seq(
      less(10, false) -> CannotMatch,
      less(10, true) -> MightMatch,
      less(20, false) -> MightMatch,
      less(20, true) -> AllMatch,
      less(21, false) -> AllMatch,
      less(Long.MinValue, false) -> CannotMatch,
      less(Long.MinValue, true) -> CannotMatch,
      less(Long.MaxValue, true) -> AllMatch,
      greater(20, false) -> CannotMatch,
      greater(20, true) -> MightMatch,
      greater(10, false) -> MightMatch,
      greater(10, true) -> AllMatch,
      greater(9, false) -> AllMatch,
      greater(Long.MaxValue, false) -> CannotMatch,
      greater(Long.MinValue, true) -> AllMatch
    )
    for ((test, verdict) <- table) {
      assert(evaluate(Int64, bounds(long(10), long(20), 0), test).verdict == verdict, test)
      val withNulls = if (verdict == AllMatch) MightMatch else verdict
      assert(evaluate(Int64, bounds(long(10), long(20), 1), test).verdict == withNulls, test)
      assert(evaluate(Int64, bounds(long(10), long(20)), test).verdict == withNulls, test)
    }
  }

  test("texts are ordered as unsigned bytes, also where their bounds were cut") {
    val long1 = "a" * 100 + "b"
    val stats = bounds(text(long1), text("c" * 100), 0)
    def verdict(test: Test) = evaluate(Text, stats, test).verdict
    def literal(s: String) = Bytes(text(s), true)
    val table = Seq(
      In(Seq(literal("a" * 60))) -> CannotMatch,
      In(Seq(literal(long1))) -> MightMatch,
      In(Seq(literal("c" * 100))) -> MightMatch,
      In(Seq(literal("d"))) -> CannotMatch,
      Less(literal("a" * 64), false) -> CannotMatch,
      Less(literal("a" * 64 + "b"), false) -> MightMatch,
      Less(literal("d"), false) -> AllMatch,
      Greater(literal("d"), true) -> CannotMatch,
      Greater(literal("c" * 64), false) -> MightMatch,
      Greater(literal("A"), true) -> AllMatch
    )
    table.foreach { case (test, expected) => assert(verdict(test) == expected, test) }
    val endless = bounds(Array.fill[Byte](70)(-1), Array.fill[Byte](80)(-1), 0)
    val high = Bytes(Array.fill[Byte](90)(-1), true)
    assert(evaluate(Text, endless, In(Seq(high))).verdict == MightMatch)
    assert(evaluate(Text, endless, Greater(high, false)).verdict == MightMatch)
    assert(evaluate(Text, endless, Less(literal("a"), false)).verdict == CannotMatch)
  }

  test("NaN is never ruled out: it is above all bounds, and bounds do not cover it") {
    val column = Column(Type.DOUBLE)
    val stats = bounds(double(1), double(2), 0)
    def verdict(test: Test) = evaluate(column, stats, test).verdict
    assert(verdict(Greater(DoubleLiteral(5), false)) == MightMatch)
    assert(verdict(Greater(DoubleLiteral(0), true)) == MightMatch)
    assert(verdict(Less(DoubleLiteral(5), false)) == MightMatch)
    assert(verdict(Less(DoubleLiteral(1), false)) == CannotMatch)
    assert(verdict(Less(DoubleLiteral(Double.NaN), true)) == MightMatch)
    assert(verdict(In(Seq(DoubleLiteral(5)))) == CannotMatch)
    assert(
      evaluate(
        column,
        stats,
        In(Seq(DoubleLiteral(5), DoubleLiteral(Double.NaN)))) == LeafResult.ComparedWithNaN)
    assert(
      evaluate(column, stats, NotIn(Seq(DoubleLiteral(Double.NaN)))) == LeafResult.NoEvidence)
    assert(
      evaluate(column, stats, In(Seq(DoubleLiteral(Double.NaN)))) == LeafResult.ComparedWithNaN)
    assert(evaluate(column, stats, Greater(DoubleLiteral(5), false)) == LeafResult.NaNAbove)
    assert(
      evaluate(column, stats, Greater(DoubleLiteral(Double.NaN), true)) == LeafResult.NaNAbove)
    assert(verdict(Greater(DoubleLiteral(Double.NaN), false)) == CannotMatch)
    assert(verdict(
      AllOf(Seq(Greater(DoubleLiteral(5), false), Less(DoubleLiteral(9), false)))) == CannotMatch)
    assert(verdict(
      AllOf(Seq(Greater(DoubleLiteral(1), false), Less(DoubleLiteral(9), false)))) == MightMatch)
    assert(
      evaluate(
        column,
        bounds(double(1), double(1), 0),
        NotIn(Seq(DoubleLiteral(1)))).verdict == MightMatch)
    for ((min, max) <- Seq((Double.NaN, 2.0), (1.0, Double.NaN), (Double.NaN, Double.NaN)))
      assert(
        evaluate(
          column,
          bounds(double(min), double(max)),
          In(Seq(DoubleLiteral(5)))).verdict == MightMatch)
  }

  test("NOT IN is refuted where the only value there is is excluded") {
    def stats(min: Int, max: Int) = bounds(int(min), int(max), 3)
    def values(v: Long*) = NotIn(v.map(IntegerLiteral(_, 32)))
    assert(evaluate(Int32, stats(7, 7), values(1, 7)) == LeafResult.OutsideBounds)
    assert(evaluate(Int32, stats(7, 8), values(7, 8)).verdict == MightMatch)
    assert(evaluate(Int32, stats(7, 7), values(1, 8)).verdict == MightMatch)
    assert(
      evaluate(Int32, stats(7, 7).setIs_max_value_exact(false), values(7)).verdict == MightMatch)
    assert(
      evaluate(Int32, stats(7, 7).setIs_min_value_exact(true), values(7)).verdict == CannotMatch)
    def abc = bounds(text("abc"), text("abc"), 0)
    val notAbc = NotIn(Seq(Bytes(text("abc"), true)))
    assert(evaluate(Text, abc, notAbc).verdict == MightMatch, "texts may be cut in silence")
    assert(evaluate(Text, abc.setIs_max_value_exact(true), notAbc).verdict == MightMatch)
    val exact = abc.setIs_max_value_exact(true).setIs_min_value_exact(true)
    assert(evaluate(Text, exact, notAbc) == LeafResult.OutsideBounds)
    val long1 = text("x" * 65)
    val cut = bounds(long1, long1, 0).setIs_max_value_exact(true).setIs_min_value_exact(true)
    assert(evaluate(Text, cut, NotIn(Seq(Bytes(long1, true)))).verdict == MightMatch)
    assert(evaluate(Text, cut, NotIn(Seq(Bytes(text("x" * 64), true)))).verdict == MightMatch)
  }

  test("an empty list matches nothing, its negation what is not null") {
    assert(evaluate(Int32, null, In(Nil)).verdict == CannotMatch)
    assert(evaluate(Int32, null, NotIn(Nil)).verdict == MightMatch)
  }

  test("dates and instants from before the rebase are not compared, later ones are") {
    val days = Column(Type.INT32, date)
    val instants = Column(Type.INT64, timestamp(micros, true))
    val local = Column(Type.INT64, timestamp(micros, false))
    val day1582 = -141427
    val micros1902 = -2145916800000000L
    def stats = bounds(int(0), int(1), 0)
    for (test <- Seq(In(Seq(Date(1), Date(day1582 - 1))), Less(Date(day1582 - 1), false)))
      assert(evaluate(days, stats, test) == LeafResult.Rebased)
    assert(evaluate(days, stats, Less(Date(day1582), false)).verdict == CannotMatch)
    val now = bounds(long(0), long(1), 0)
    assert(
      evaluate(instants, now, In(Seq(Timestamp(micros1902 - 1, true)))) == LeafResult.Rebased)
    assert(evaluate(instants, now, In(Seq(Timestamp(micros1902, true)))).verdict == CannotMatch)
    assert(evaluate(local, now, In(Seq(Timestamp(micros1902 - 1, false)))).verdict == CannotMatch)
  }

  test("milliseconds are ordered exactly against microseconds, at both ends of a Long") {
    val column = Column(Type.INT64, timestamp(millis, false))
    def verdict(test: Test) = evaluate(column, bounds(long(-2), long(3), 0), test).verdict
    val table = Seq(
      Less(Timestamp(-2000, false), false) -> CannotMatch,
      Less(Timestamp(-1999, false), false) -> MightMatch,
      Less(Timestamp(-2000, false), true) -> MightMatch,
      Less(Timestamp(3001, false), false) -> AllMatch,
      Less(Timestamp(3000, false), false) -> MightMatch,
      Greater(Timestamp(3000, false), true) -> MightMatch,
      Greater(Timestamp(2999, false), false) -> MightMatch,
      Greater(Timestamp(3000, false), false) -> CannotMatch,
      Greater(Timestamp(-2001, false), false) -> AllMatch,
      Greater(Timestamp(-1999, false), true) -> MightMatch,
      Less(Timestamp(Long.MinValue, false), true) -> CannotMatch,
      Greater(Timestamp(Long.MaxValue, false), true) -> CannotMatch
    )
    table.foreach { case (test, expected) => assert(verdict(test) == expected, test) }
  }

  test("null counts decide, but only where they can be right") {
    val anyIn = In(Seq(IntegerLiteral(5, 32)))
    def stats(nulls: Long) = new Statistics().setNull_count(nulls)
    val table = Seq[(Long, Test, io.sbbf.core.predicate.Verdict)](
      (0, IsNull, CannotMatch),
      (0, IsNotNull, AllMatch),
      (0, anyIn, MightMatch),
      (1000, IsNull, AllMatch),
      (1000, IsNotNull, CannotMatch),
      (1000, anyIn, CannotMatch),
      (1000, NotIn(Nil), CannotMatch),
      (1000, Less(IntegerLiteral(5, 16), true), CannotMatch),
      (1000, In(Seq(DoubleLiteral(Double.NaN))), CannotMatch),
      (5, IsNull, MightMatch),
      (5, IsNotNull, MightMatch),
      (-1, IsNull, MightMatch),
      (1001, IsNotNull, MightMatch)
    )
    for ((nulls, test, expected) <- table)
      assert(evaluate(Int32, stats(nulls), test).verdict == expected, s"$nulls $test")
    for (test <- Seq(IsNull, IsNotNull)) {
      assert(evaluate(Int32, null, test).verdict == MightMatch)
      assert(evaluate(Int32, new Statistics(), test).verdict == MightMatch)
      val fewer = (m: FileMetaData) => m.getRow_groups.get(0).setNum_rows(999): Unit
      assert(evaluate(Int32, stats(0), test, fewer).verdict == MightMatch)
    }
    val required = Column(Type.INT32, repetition = FieldRepetitionType.REQUIRED)
    assert(evaluate(required, null, IsNull).verdict == CannotMatch)
    assert(evaluate(required, stats(1000), IsNotNull).verdict == AllMatch, "a lie")
  }

  test("bounds that cannot be right, or whose order is not known, are not used") {
    val outside = In(Seq(IntegerLiteral(99, 32)))
    val unsigned = Column(Type.INT32, integer(32, false))
    def old(min: Array[Byte], max: Array[Byte]) = new Statistics().setMin(min).setMax(max)
    val unordered = (m: FileMetaData) => m.unsetColumn_orders()
    val foreign = (m: FileMetaData) =>
      m.setColumn_orders(java.util.Collections.singletonList(new ColumnOrder)): Unit
    def same(m: FileMetaData): Unit = ()
    val far = In(Seq(IntegerLiteral(99, 64)))
    val z = In(Seq(Bytes(text("z"), true)))
    def inexact(s: Statistics, min: Boolean, max: Boolean) =
      s.setIs_min_value_exact(!min).setIs_max_value_exact(!max)
    val table = Seq[(Column, Statistics, Test, FileMetaData => Unit, Boolean)](
      (Int32, bounds(int(1), int(2)), outside, same, true),
      (Int32, bounds(int(2), int(1)), outside, same, false),
      (Int32, bounds(long(1), long(2)), outside, same, false),
      (Int32, bounds(Array.empty, Array.empty), outside, same, false),
      (Int32, new Statistics().setMin_value(int(1)), outside, same, false),
      (Int32, bounds(int(1), int(2)), outside, unordered, false),
      (Int32, bounds(int(1), int(2)), outside, foreign, false),
      (Int32, old(int(1), int(2)), outside, same, true),
      (Int32, old(int(1), int(2)), outside, unordered, true),
      (unsigned, old(int(1), int(2)), far, same, false),
      (unsigned, bounds(int(1), int(2)), far, same, true),
      (unsigned, bounds(int(-1), int(2)), far, same, false),
      (Text, old(text("a"), text("b")), z, same, false),
      (Text, bounds(text("a"), text("b")), z, same, true),
      (Text, bounds(text("b"), text("a")), z, same, false),
      (Text, inexact(bounds(text("a"), text("b")), min = true, max = true), z, same, true),
      (Text, inexact(bounds(text("a"), text("a")), min = true, max = true), z, same, false),
      (Text, inexact(bounds(text("a"), text("a")), min = false, max = true), z, same, false),
      (Text, inexact(bounds(text("a"), text("a")), min = true, max = false), z, same, false),
      (Text, inexact(bounds(text("a"), text("a")), min = false, max = false), z, same, true),
      (Text, bounds(text("a"), text("a")), z, same, true),
      (Int32, inexact(bounds(int(1), int(1)), min = true, max = true), outside, same, false),
      (Int32, inexact(bounds(int(1), int(2)), min = true, max = true), outside, same, true)
    )
    for ((column, stats, test, change, refuted) <- table) {
      val expected =
        if (refuted) LeafResult.OutsideBounds
        else if (stats.isSetMax_value && (change == unordered || change == foreign))
          LeafResult.UnorderedBounds
        else LeafResult.NoEvidence
      assert(evaluate(column, stats, test, change) == expected, s"$column $stats")
    }
  }

  test("a row group without rows matches no predicate") {
    def empty(m: FileMetaData): Unit = { m.getRow_groups.get(0).setNum_rows(0); () }
    for (test <- Seq(IsNull, IsNotNull, NotIn(Nil), In(Seq(DoubleLiteral(Double.NaN)))))
      assert(evaluate(Int32, null, test, empty) == LeafResult.NoRows)
  }
}
