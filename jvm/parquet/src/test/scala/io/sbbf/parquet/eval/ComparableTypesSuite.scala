package io.sbbf.parquet.eval

import java.math.BigInteger

import org.apache.parquet.format._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value._
import io.sbbf.core.predicate.Verdict.{CannotMatch, MightMatch}
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.testing.SyntheticFooter

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
  private def time(unit: TimeUnit) = LogicalType.TIME(new TimeType(true, unit))
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
      (
        Int32,
        int(-5),
        int(7),
        Seq(IntegerLiteral(-5, 32), IntegerLiteral(7, 64)),
        Seq(IntegerLiteral(8, 32))),
      (Int32, int(-5), int(7), Seq(IntegerLiteral(0, 64)), Seq(IntegerLiteral(1L << 32, 64))),
      (
        Column(Type.INT32, integer(8, true)),
        int(1),
        int(3),
        Seq(
          IntegerLiteral(2, 8),
          IntegerLiteral(2, 16),
          IntegerLiteral(2, 32),
          IntegerLiteral(2, 64)),
        Seq(
          IntegerLiteral(4, 8),
          IntegerLiteral(0, 16),
          IntegerLiteral(4, 32),
          IntegerLiteral(4, 64))),
      (
        Column(Type.INT32, converted = ConvertedType.INT_16),
        int(1),
        int(3),
        Seq(IntegerLiteral(2, 16)),
        Seq(IntegerLiteral(4, 16))),
      (
        Column(Type.INT32, integer(8, false)),
        int(1),
        int(200),
        Seq(IntegerLiteral(200, 16)),
        Seq(IntegerLiteral(-1, 16), IntegerLiteral(201, 32))),
      (
        Column(Type.INT32, integer(32, false)),
        int(1),
        int(-1),
        Seq(IntegerLiteral(4294967295L, 64), IntegerLiteral(3000000000L, 64)),
        Seq(IntegerLiteral(-1, 64), IntegerLiteral(0, 64))),
      (Int64, long(-5), long(7), Seq(IntegerLiteral(7, 64)), Seq(IntegerLiteral(-6, 64))),
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
        Seq(FloatLiteral(0.0f), FloatLiteral(-1f)),
        Seq(FloatLiteral(0.5f), FloatLiteral(Float.NegativeInfinity))),
      (
        Column(Type.DOUBLE),
        double(0.0),
        double(1),
        Seq(DoubleLiteral(-0.0)),
        Seq(DoubleLiteral(-0.1))),
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
        Seq(dec(-6, 20, 2), dec(8, 20, 2), Decimal(BigInteger.TEN.pow(30), 38, 2))),
      // read as a wider type
      (
        Int32,
        int(-5),
        int(7),
        Seq(DoubleLiteral(7), DoubleLiteral(-0.0), dec(700, 12, 2), dec(-5, 38, 0)),
        Seq(
          DoubleLiteral(7.5),
          DoubleLiteral(0.5),
          DoubleLiteral(Double.PositiveInfinity),
          DoubleLiteral(1e30)) ++
          Seq(dec(701, 12, 2), dec(50, 12, 2), dec(-600, 12, 2))),
      (
        Int64,
        long(-5),
        long(7),
        Seq(dec(-5, 20, 0), dec(70, 38, 1)),
        Seq(dec(8, 20, 0), dec(5, 38, 1), Decimal(BigInteger.TEN.pow(30), 38, 1))),
      (
        Column(Type.FLOAT),
        float(-1.5f),
        float(0.1f),
        Seq(DoubleLiteral(0.1f.toDouble), DoubleLiteral(-0.0), DoubleLiteral(-1.5)),
        Seq(
          DoubleLiteral(0.1),
          DoubleLiteral(0.3),
          DoubleLiteral(-1e300),
          DoubleLiteral(Double.MinPositiveValue))),
      (
        Column(Type.INT32, decimal(5, 2)),
        int(-5),
        int(7),
        Seq(dec(700, 10, 4), dec(-5, 6, 2)),
        Seq(dec(701, 10, 4), dec(-501, 10, 4), dec(1, 38, 10))),
      (
        Column(Type.FIXED_LEN_BYTE_ARRAY, decimal(20, 2), length = 9),
        fixed(-5, 9),
        fixed(7, 9),
        Seq(dec(700, 22, 4), dec(-500, 38, 4)),
        Seq(dec(701, 22, 4), dec(-501, 22, 4), dec(-99, 22, 4))),
      (
        Column(Type.INT32, date),
        int(day),
        int(day + 1),
        Seq(Timestamp(day * 86400000000L, false)),
        Seq(Timestamp(day * 86400000000L + 1, false), Timestamp(Long.MaxValue, false))),
      // stored in another unit, or without an order of its own
      (
        Column(Type.INT64, timestamp(nanos, true)),
        long(-5),
        long(7),
        Seq(IntegerLiteral(7, 64)),
        Seq(IntegerLiteral(8, 64))),
      (
        Column(Type.INT64, time(micros)),
        long(5),
        long(7),
        Seq(Time(7000)),
        Seq(Time(8000), Time(6001))),
      (
        Column(Type.FIXED_LEN_BYTE_ARRAY, LogicalType.UUID(new UUIDType), length = 2),
        Array[Byte](1, 2),
        Array[Byte](-1, 2),
        Seq(Bytes(Array(1, 2), false), Bytes(Array(-128, 0), false)),
        Seq(Bytes(Array(-1, 3), false), Bytes(Array(1), false), Bytes(Array(1, 2, 3), false)))
    )
    for ((column, min, max, inside, outside) <- table) {
      def verdict(test: Test) = evaluate(column, bounds(min, max, 0), test)
      inside.foreach(v => assert(verdict(In(Seq(v))).verdict == MightMatch, s"$column $v"))
      outside.foreach(v => assert(verdict(In(Seq(v))) == LeafResult.OutsideBounds, s"$column $v"))
      assert(verdict(In(outside)).verdict == CannotMatch)
      assert(verdict(In(outside ++ inside)).verdict == MightMatch)
    }
  }

  test("whatever pair of types is not listed is not compared") {
    val table = Seq(
      Int32 -> Seq(
        IntegerLiteral(1, 8),
        IntegerLiteral(1, 16),
        Bool(true),
        Date(1),
        dec(1, 9, 0),
        FloatLiteral(1)),
      Int32 -> Seq(dec(1, 12, 3), Timestamp(1, false), Time(1), Bytes(Array(1, 2, 3, 4), false)),
      Column(Type.INT32, integer(32, false)) -> Seq(
        IntegerLiteral(1, 32),
        DoubleLiteral(1),
        dec(1, 12, 0)),
      Column(Type.INT32, integer(16, true)) -> Seq(IntegerLiteral(1, 8)),
      Column(Type.INT32, integer(8, false)) -> Seq(IntegerLiteral(1, 8)),
      Column(Type.INT32, date) -> Seq(
        IntegerLiteral(1, 32),
        Timestamp(1, true),
        DoubleLiteral(1)),
      Int64 -> Seq(
        IntegerLiteral(1, 32),
        Timestamp(1, true),
        dec(1, 19, 0),
        dec(1, 22, 3),
        DoubleLiteral(1)),
      Column(Type.INT64, integer(64, false)) -> Seq(
        IntegerLiteral(1, 64),
        dec(1, 19, 0),
        dec(1, 20, 1)),
      Column(Type.INT64, timestamp(micros, true)) -> Seq(
        Timestamp(1, false),
        IntegerLiteral(1, 64)),
      Column(Type.INT64, timestamp(micros, false)) -> Seq(Timestamp(1, true)),
      Column(Type.INT64, timestamp(nanos, true)) -> Seq(Timestamp(1, true), Timestamp(1, false)),
      Column(Type.INT64, time(nanos)) -> Seq(Time(1), IntegerLiteral(1, 64)),
      Column(Type.INT32, time(millis)) -> Seq(Time(1), IntegerLiteral(1, 32)),
      Column(Type.INT64, time(micros)) -> Seq(IntegerLiteral(1, 64), Timestamp(1, false)),
      Column(Type.INT96) -> Seq(Timestamp(1, true), Timestamp(1, false)),
      Column(Type.FLOAT) -> Seq(IntegerLiteral(1, 32), dec(1, 9, 0)),
      Column(Type.DOUBLE) -> Seq(FloatLiteral(1)),
      Column(Type.BYTE_ARRAY, converted = ConvertedType.BSON) -> Seq(Bytes(Array(1), true)),
      Column(Type.BYTE_ARRAY, decimal(9, 2)) -> Seq(dec(1, 9, 2), Bytes(Array(1), false)),
      Column(Type.FIXED_LEN_BYTE_ARRAY, length = 4) -> Seq(Bytes(Array(1, 2, 3, 4), true)),
      Column(Type.FIXED_LEN_BYTE_ARRAY, LogicalType.FLOAT16(new Float16Type), length = 2) ->
        Seq(Bytes(Array(1, 2), false), FloatLiteral(1)),
      Column(Type.FIXED_LEN_BYTE_ARRAY, converted = ConvertedType.INTERVAL, length = 12) ->
        Seq(Bytes(new Array(12), false)),
      Column(Type.INT32, decimal(9, 2)) -> Seq(dec(1, 9, 3), dec(1, 8, 2), IntegerLiteral(1, 32)),
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
          evaluate(column, bounds(sized, sized, 0), test) == LeafResult.NotComparable,
          s"$column $value")
    }
  }

  test("ranges take a literal between two values, or beyond all, for what it is") {
    val fixedDecimal = Column(Type.FIXED_LEN_BYTE_ARRAY, decimal(4, 2), length = 2)
    // column, bounds, what is refuted, what is not
    val table = Seq(
      (
        Int32,
        int(5) -> int(7),
        Seq(
          Less(DoubleLiteral(4.5), false),
          Greater(DoubleLiteral(7.0), false),
          Greater(DoubleLiteral(1e30), true)),
        Seq(
          Less(DoubleLiteral(5.5), false),
          Greater(DoubleLiteral(6.5), false),
          Less(DoubleLiteral(1e30), true))),
      (
        Int64,
        long(5) -> long(7),
        Seq(Less(dec(50, 22, 1), false), Greater(dec(70, 22, 1), false)),
        Seq(Less(dec(51, 22, 1), false), Greater(dec(69, 22, 1), false))),
      (
        fixedDecimal,
        fixed(5, 2) -> fixed(7, 2),
        Seq(Less(dec(499, 12, 4), true), Greater(dec(701, 12, 4), true)) ++
          Seq(Greater(dec(9999999, 12, 2), true), Less(dec(-9999999, 12, 2), true)),
        Seq(Less(dec(501, 12, 4), false), Greater(dec(699, 12, 4), false)) ++
          Seq(Greater(dec(-9999999, 12, 2), true), Less(dec(9999999, 12, 2), true)))
    )
    for ((column, (min, max), refuted, kept) <- table) {
      refuted.foreach(t =>
        assert(evaluate(column, bounds(min, max, 0), t) == LeafResult.OutsideBounds))
      kept.foreach(t => assert(evaluate(column, bounds(min, max, 0), t).verdict != CannotMatch))
    }
  }

  test("old dates and times are compared only where Spark is known not to rebase the file") {
    def wrote(version: String, legacy: String = null)(metadata: FileMetaData): Unit = {
      val entries = new java.util.ArrayList[KeyValue]
      if (version != null)
        entries.add(new KeyValue("org.apache.spark.version").setValue(version))
      if (legacy != null) entries.add(new KeyValue(legacy).setValue(""))
      metadata.setKey_value_metadata(entries)
    }
    val columns = Seq(
      (Column(Type.INT32, date), int(0), Date(-200000)),
      (Column(Type.INT32, date), int(0), Timestamp(-200000 * 86400000000L, false)),
      (Column(Type.INT64, timestamp(micros, true)), long(0), Timestamp(Long.MinValue, true))
    )
    for ((column, zero, old) <- columns) {
      def answer(change: FileMetaData => Unit) =
        evaluate(column, bounds(zero, zero, 0), In(Seq(old)), change)
      Seq[FileMetaData => Unit](
        wrote(null),
        wrote("2.4.8"),
        wrote("3.5.1", "org.apache.spark.legacyDateTime"),
        m => {
          wrote("3.5.1")(m)
          m.getKey_value_metadata.add(new KeyValue("org.apache.spark.version").setValue("2.4.8"))
        }
      ).foreach(change => assert(answer(change) == LeafResult.Rebased))
      Seq[FileMetaData => Unit](wrote("3.0.0"), wrote("4.3.0", "org.apache.spark.legacyINT96"))
        .foreach(change => assert(answer(change) == LeafResult.OutsideBounds))
    }
  }

  test("INT96 is compared only where Spark wrote it, and never by statistics") {
    val table = Seq(
      (null, null, LeafResult.NotComparable),
      ("parquet-mr version 1.13.1", "3.0.3", LeafResult.NotComparable),
      ("parquet-cpp-arrow version 20.0.0", "3.5.1", LeafResult.NotComparable),
      ("parquet-mr version 1.13.1", "3.5.1", LeafResult.NoEvidence)
    )
    for ((creator, version, expected) <- table) {
      def change(metadata: FileMetaData): Unit = if (creator != null) {
        metadata.setCreated_by(creator)
        metadata.setKey_value_metadata(
          java.util.Collections.singletonList(
            new KeyValue("org.apache.spark.version").setValue(version)))
      }
      val zeros = new Array[Byte](12)
      for (test <- Seq(In(Seq(Timestamp(1, true))), Less(Timestamp(1, true), false)))
        assert(evaluate(Column(Type.INT96), bounds(zeros, zeros, 0), test, change) == expected)
    }
  }

  test("a damaged scale builds no giant number") {
    val table = Seq(decimal(9, -2000000000), decimal(-2000000000, 2), decimal(9, 2000000000))
    for (annotation <- table)
      assert(
        evaluate(
          Column(Type.INT64, annotation),
          bounds(long(0), long(0), 0),
          In(Seq(dec(1, 38, 2)))) ==
          LeafResult.NotComparable)
  }
}
