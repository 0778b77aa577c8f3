package io.sbbf.parquet

import java.math.BigInteger

import org.apache.parquet.format._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.RowGroupPredicate._
import io.sbbf.core.Value._
import io.sbbf.core.Verdict.{CannotMatch, MightMatch}

/** Which types of a query and of a file are comparable, and by what bytes. */
final class ComparableTypesSuite extends AnyFunSuite {
  import SyntheticFooter.{float, _}

  private def integer(bits: Int, signed: Boolean) =
    LogicalType.INTEGER(new IntType(bits.toByte, signed))
  private val string = LogicalType.STRING(new StringType)
  private val date = LogicalType.DATE(new DateType)
  private def timestamp(unit: TimeUnit, utc: Boolean) =
    LogicalType.TIMESTAMP(new TimestampType(utc, unit))
  private val millis = TimeUnit.MILLIS(new MilliSeconds)
  private val micros = TimeUnit.MICROS(new MicroSeconds)
  private val nanos = TimeUnit.NANOS(new NanoSeconds)
  private def decimal(precision: Int, scale: Int) =
    LogicalType.DECIMAL(new DecimalType(scale, precision))
  private def dec(unscaled: Long, precision: Int, scale: Int) =
    Decimal(BigInteger.valueOf(unscaled), precision, scale)

  private val Int32 = Column(Type.INT32)
  private val Int64 = Column(Type.INT64)
  private val Text = Column(Type.BYTE_ARRAY, string)

  test("bounds refute what lies outside, for each pair of types that is comparable") {
    val day = 20000
    val instant = 1700000000000000L
    // column, min, max, literals inside, literals outside
    val table = Seq(
      (Int32, int(-5), int(7), Seq(Integral(-5, 32), Integral(7, 64)), Seq(Integral(8, 32))),
      (Int32, int(-5), int(7), Seq(Integral(0, 64)), Seq(Integral(1L << 32, 64))),
      (
        Column(Type.INT32, integer(8, true)),
        int(1),
        int(3),
        Seq(Integral(2, 8), Integral(2, 16), Integral(2, 32), Integral(2, 64)),
        Seq(Integral(4, 8), Integral(0, 16), Integral(4, 32), Integral(4, 64))),
      (
        Column(Type.INT32, converted = ConvertedType.INT_16),
        int(1),
        int(3),
        Seq(Integral(2, 16)),
        Seq(Integral(4, 16))),
      (
        Column(Type.INT32, integer(8, false)),
        int(1),
        int(200),
        Seq(Integral(200, 16)),
        Seq(Integral(-1, 16), Integral(201, 32))),
      (
        Column(Type.INT32, integer(32, false)),
        int(1),
        int(-1),
        Seq(Integral(4294967295L, 64), Integral(3000000000L, 64)),
        Seq(Integral(-1, 64), Integral(0, 64))),
      (Int64, long(-5), long(7), Seq(Integral(7, 64)), Seq(Integral(-6, 64))),
      (
        Column(Type.INT64, integer(64, false)),
        long(1),
        long(-1),
        Seq(Decimal(BigInteger.ONE.shiftLeft(63), 20, 0)),
        Seq(dec(0, 20, 0), dec(-1, 20, 0), Decimal(BigInteger.ONE.shiftLeft(64), 20, 0))),
      (
        Column(Type.FLOAT),
        float(-1.5f),
        float(-0.0f),
        Seq(Real32(0.0f), Real32(-1f)),
        Seq(Real32(0.5f), Real32(Float.NegativeInfinity))),
      (Column(Type.DOUBLE), double(0.0), double(1), Seq(Real64(-0.0)), Seq(Real64(-0.1))),
      (
        Text,
        text("b"),
        text("é"),
        Seq(Bytes(text("z"), true), Bytes(text("é"), false)),
        Seq(Bytes(text("a"), true), Bytes(Array(-1), false), Bytes(text(""), true))),
      (
        Column(Type.BYTE_ARRAY, converted = ConvertedType.BSON),
        Array[Byte](1),
        Array[Byte](-2),
        Seq(Bytes(Array(-2), false)),
        Seq(Bytes(Array(-1), false))),
      (Column(Type.BOOLEAN), Array[Byte](0), Array[Byte](0), Seq(Bool(false)), Seq(Bool(true))),
      (
        Column(Type.INT32, date),
        int(day),
        int(day + 1),
        Seq(Date(day)),
        Seq(Date(day - 1), Date(-141427))),
      (
        Column(Type.INT64, timestamp(micros, true)),
        long(instant),
        long(instant),
        Seq(Timestamp(instant, true)),
        Seq(Timestamp(instant + 1, true))),
      (
        Column(Type.INT64, converted = ConvertedType.TIMESTAMP_MILLIS),
        long(instant / 1000),
        long(instant / 1000 + 1),
        Seq(Timestamp(instant, true), Timestamp(instant + 1000, true)),
        Seq(Timestamp(instant + 1, true), Timestamp(instant + 2000, true))),
      (
        Column(Type.INT64, timestamp(millis, false)),
        long(-5),
        long(5),
        Seq(Timestamp(-5000, false)),
        Seq(Timestamp(-5001, false), Timestamp(Long.MinValue, false))),
      (
        Column(Type.INT32, decimal(9, 2)),
        int(-5),
        int(7),
        Seq(dec(7, 9, 2), dec(-5, 38, 2)),
        Seq(dec(8, 9, 2), Decimal(BigInteger.TEN.pow(30), 38, 2))),
      (
        Column(Type.INT64, converted = ConvertedType.DECIMAL, precision = 18, scale = 3),
        long(-5),
        long(7),
        Seq(dec(7, 18, 3)),
        Seq(Decimal(BigInteger.TEN.pow(30).negate, 38, 3))),
      (
        Column(Type.FIXED_LEN_BYTE_ARRAY, decimal(20, 2), length = 9),
        fixed(-5, 9),
        fixed(7, 9),
        Seq(dec(-5, 20, 2), dec(-1, 20, 2), dec(0, 20, 2), dec(7, 20, 2)),
        Seq(dec(-6, 20, 2), dec(8, 20, 2), Decimal(BigInteger.TEN.pow(30), 38, 2)))
    )
    for ((column, min, max, inside, outside) <- table) {
      def verdict(test: Test) = ask(column, bounds(min, max, 0), test)
      inside.foreach(v => assert(verdict(In(Seq(v))).verdict == MightMatch, s"$column $v"))
      outside.foreach(v => assert(verdict(In(Seq(v))) == Answer.OutsideBounds, s"$column $v"))
      assert(verdict(In(outside)).verdict == CannotMatch)
      assert(verdict(In(outside ++ inside)).verdict == MightMatch)
    }
  }

  test("whatever pair of types is not listed is not compared") {
    val table = Seq(
      Int32 -> Seq(Integral(1, 8), Integral(1, 16), Bool(true), Date(1), dec(1, 9, 0), Real64(1)),
      Column(Type.INT32, integer(32, false)) -> Seq(Integral(1, 32)),
      Column(Type.INT32, integer(16, true)) -> Seq(Integral(1, 8)),
      Column(Type.INT32, integer(8, false)) -> Seq(Integral(1, 8)),
      Column(Type.INT32, date) -> Seq(Integral(1, 32), Timestamp(1, true)),
      Column(Type.INT32, LogicalType.TIME(new TimeType(true, millis))) -> Seq(Integral(1, 32)),
      Int64 -> Seq(Integral(1, 32), Timestamp(1, true), dec(1, 20, 0)),
      Column(Type.INT64, integer(64, false)) -> Seq(
        Integral(1, 64),
        dec(1, 19, 0),
        dec(1, 20, 1)),
      Column(Type.INT64, timestamp(micros, true)) -> Seq(Timestamp(1, false), Integral(1, 64)),
      Column(Type.INT64, timestamp(micros, false)) -> Seq(Timestamp(1, true)),
      Column(Type.INT64, timestamp(nanos, true)) -> Seq(Timestamp(1, true)),
      Column(Type.INT96) -> Seq(Timestamp(1, true), Timestamp(1, false)),
      Column(Type.FLOAT) -> Seq(Real64(1)),
      Column(Type.DOUBLE) -> Seq(Real32(1)),
      Column(Type.BYTE_ARRAY, converted = ConvertedType.BSON) -> Seq(Bytes(Array(1), true)),
      Column(Type.BYTE_ARRAY, decimal(9, 2)) -> Seq(dec(1, 9, 2), Bytes(Array(1), false)),
      Column(Type.FIXED_LEN_BYTE_ARRAY, length = 4) -> Seq(Bytes(Array(1, 2, 3, 4), false)),
      Column(Type.INT32, decimal(9, 2)) -> Seq(dec(1, 9, 3), dec(1, 8, 2), Integral(1, 32)),
      Column(Type.FIXED_LEN_BYTE_ARRAY, decimal(9, 2), length = 4) -> Seq(dec(1, 9, 1))
    )
    for ((column, values) <- table; value <- values) {
      val wide = Array.fill[Byte](16)(0)
      val sized = java.util.Arrays.copyOf(
        wide,
        column.physical match {
          case Type.INT32 | Type.FLOAT => 4
          case Type.INT64 | Type.DOUBLE => 8
          case Type.INT96 => 12
          case _ => math.max(column.length, 1)
        })
      for (test <- Seq(
          In(Seq(value)),
          NotIn(Seq(value)),
          Less(value, true),
          Greater(value, true)))
        assert(
          ask(column, bounds(sized, sized, 0), test) == Answer.NotComparable,
          s"$column $value")
    }
  }
}
