package io.sbbf.parquet.eval

import java.math.{BigDecimal, BigInteger}
import java.util.Collections

import scala.util.Random

import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value
import io.sbbf.core.predicate.Verdict.{AllMatch, CannotMatch}
import io.sbbf.parquet.model.{ColumnType, Evidence}
import io.sbbf.parquet.testing.{SyntheticFooter, TestFile, TestFiles}

/**
 * Random columns, random leaves: every answer is compared with what the rows say under Spark's
 * semantics.
 */
final class DifferentialSuite extends AnyFunSuite {
  import DifferentialSuite._

  private val filesPerKind = 24
  private val leavesPerFile = 60

  test("no answer contradicts the rows, and each kind of evidence decides some") {
    val random = new Random(TestFiles.seed())
    val decided = collection.mutable.Map.empty[(String, Evidence), Int].withDefaultValue(0)
    for (kind <- Kinds.all; n <- 0 until filesPerKind) {
      val (file, rows, style) = randomFile(kind, n, random)
      val sizes = (0 until file.footer.numRowGroups).map(file.footer.numRows(_).toInt)
      assert(sizes.sum == rows.length)
      val starts = sizes.scanLeft(0)(_ + _)
      for (_ <- 0 until leavesPerFile) {
        val test = kind.test(random, rows)
        for ((answer, g) <- file.evaluate("c", test).zipWithIndex) {
          val matches =
            rows.slice(starts(g), starts(g + 1)).map(_.exists(kind.isMatch(_, test)))
          // IS NULL is the one test that a NULL passes
          val truth =
            if (test == IsNull) rows.slice(starts(g), starts(g + 1)).map(_.isEmpty) else matches
          val hint = s"${kind.parquet} $style $test row group $g: $answer"
          if (answer.verdict == CannotMatch) assert(!truth.contains(true), hint)
          if (answer.verdict == AllMatch) assert(!truth.contains(false), hint)
          if (answer.verdict != io.sbbf.core.predicate.Verdict.MightMatch)
            decided((kind.parquet, answer.evidence)) += 1
        }
      }
    }
    for (kind <- Kinds.all) {
      println(
        s"${kind.parquet}: " + Evidence.inFiles
          .map(e => s"${e.name} ${decided((kind.parquet, e))}")
          .mkString(", "))
      val expected =
        if (kind.parquet.startsWith("boolean")) Evidence.inFiles.take(2)
        else if (kind.parquet.startsWith("int96")) Evidence.inFiles.filter(_ != Evidence.MinMax)
        else Evidence.inFiles
      expected.foreach(e =>
        assert(decided((kind.parquet, e)) > 0, s"${kind.parquet} by ${e.name}"))
    }
  }
}

object DifferentialSuite {
  private val codecs = Seq(
    CompressionCodecName.UNCOMPRESSED,
    CompressionCodecName.SNAPPY,
    CompressionCodecName.GZIP,
    CompressionCodecName.ZSTD)
  private val versions = WriterVersion.values.toSeq

  /** A file of one column `c` of this kind, with or without filters and dictionaries by `n`. */
  def randomFile(
      kind: Kind[_],
      n: Int,
      random: Random): (TestFile, Seq[Option[kind.Stored]], TestFiles.Style) = {
    val groups = manyValues(kind, random) +:
      Seq.fill(random.nextInt(3))(rowGroup(kind, random))
    val style = TestFiles.Style(
      filters = if (n % 8 < 6) Map("c" -> (1 + random.nextInt(100))) else Map.empty,
      dictionary = n % 2 == 0,
      codec = codecs(n / 2 % codecs.length),
      version = versions(random.nextInt(2)),
      metadata = Collections.singletonMap("org.apache.spark.version", "3.5.0")
    )
    val rows = groups.flatten
    val file = new TestFile(
      TestFiles.write(
        s"message m { optional ${kind.parquet}; }",
        style,
        rows.iterator.map(v => (g: Group) => v.foreach(kind.add(g, _)))),
      tailBytes = if (random.nextBoolean()) 64 * 1024 else 64
    )
    (file, rows, style)
  }

  /** Constant, few or many values, and no, some or only NULLs. */
  private def rowGroup(kind: Kind[_], random: Random): Seq[Option[kind.Stored]] = {
    val pool = Seq.fill(Seq(1, 3, 200)(random.nextInt(3)))(kind.next(random))
    val nulls = Seq(0.0, 0.0, 0.3, 1.0)(random.nextInt(4))
    Seq.fill(TestFiles.RowsPerGroup) {
      if (random.nextDouble() < nulls) None else Some(pool(random.nextInt(pool.length)))
    }
  }

  private def manyValues(kind: Kind[_], random: Random): Seq[Option[kind.Stored]] =
    Seq.fill(TestFiles.RowsPerGroup)(Some(kind.next(random)))

  /**
   * A type as a file stores it and as a query sees it.
   *
   * @tparam K what values and literals are compared as
   */
  abstract class Kind[K](val parquet: String) {
    type Stored
    def next(random: Random): Stored
    def add(group: Group, value: Stored): Unit
    def seen(value: Stored): K
    def literal(random: Random, near: Stored): Value
    def seen(literal: Value): K
    def compare(a: K, b: K): Int

    def isMatch(stored: Any, test: Test): Boolean = {
      val value = seen(stored.asInstanceOf[Stored])
      def is(literal: Value) = compare(value, seen(literal)) == 0
      test match {
        case In(values) => values.exists(is)
        case NotIn(values) => !values.exists(is)
        case Less(than, orEqual) =>
          compare(value, seen(than)) < 0 || orEqual && is(than)
        case Greater(than, orEqual) =>
          compare(value, seen(than)) > 0 || orEqual && is(than)
        case IsNull => false
        case IsNotNull => true
        case AllOf(tests) => tests.forall(isMatch(stored, _))
      }
    }

    def test(random: Random, rows: Seq[Option[Any]]): Test = {
      def one(): Value = {
        val row = rows(random.nextInt(rows.length)).map(_.asInstanceOf[Stored])
        literal(random, row.filter(_ => random.nextInt(3) > 0).getOrElse(next(random)))
      }
      def ofValues(): SimpleTest = random.nextInt(10) match {
        case 0 | 1 => Less(one(), random.nextBoolean())
        case 2 | 3 => Greater(one(), random.nextBoolean())
        case 4 | 5 =>
          val some = rows.flatten.distinct
          NotIn(some.take(4).map(v => literal(random, v.asInstanceOf[Stored])))
        case _ => In(Seq.fill(1 + random.nextInt(3))(one()))
      }
      random.nextInt(12) match {
        case 0 => IsNull
        case 1 => IsNotNull
        case 2 | 3 | 4 => AllOf(Seq.fill(2 + random.nextInt(2))(ofValues()))
        case _ => ofValues()
      }
    }
  }

  /** Whatever is exact is compared as a decimal number. */
  final class Exact[S](
      name: String,
      nextOf: Random => S,
      addTo: (Group, S) => Unit,
      number: S => BigDecimal,
      literalOf: (Random, BigDecimal) => Value)
      extends Kind[BigDecimal](name) {
    type Stored = S
    override def next(random: Random): S = nextOf(random)
    override def add(group: Group, value: S): Unit = addTo(group, value)
    override def seen(value: S): BigDecimal = number(value)
    override def literal(random: Random, near: S): Value = literalOf(random, number(near))
    override def seen(literal: Value): BigDecimal = literal match {
      case Value.IntegerLiteral(v, _) => BigDecimal.valueOf(v)
      case Value.Bool(v) => BigDecimal.valueOf(if (v) 1 else 0)
      case Value.Date(days) => BigDecimal.valueOf(days.toLong)
      case Value.Timestamp(micros, _) => BigDecimal.valueOf(micros)
      case Value.Time(nanos) => BigDecimal.valueOf(nanos)
      case Value.DoubleLiteral(v) => new BigDecimal(v)
      case Value.Decimal(unscaled, _, scale) => new BigDecimal(unscaled, scale)
      case other => throw new MatchError(other)
    }
    override def compare(a: BigDecimal, b: BigDecimal): Int = a.compareTo(b)
  }

  /** Spark's order: one zero, and one NaN above all numbers. */
  final class Real[S](
      name: String,
      fromDouble: Double => S,
      addTo: (Group, S) => Unit,
      number: S => Double,
      literalOf: Double => Value)
      extends Kind[Double](name) {
    type Stored = S
    private val special =
      Seq(0.0, -0.0, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 1.5, -1.5)
    override def next(random: Random): S = fromDouble(
      if (random.nextInt(8) == 0) special(random.nextInt(special.length))
      else random.nextInt(200) / 4.0 - 25)
    override def add(group: Group, value: S): Unit = addTo(group, value)
    override def seen(value: S): Double = number(value)
    override def literal(random: Random, near: S): Value = literalOf(
      if (number(near) == 0) { if (random.nextBoolean()) 0.0 else -0.0 }
      else if (random.nextInt(40) == 0) Double.NaN
      else number(near))
    override def seen(literal: Value): Double = literal match {
      case Value.FloatLiteral(v) => v.toDouble
      case Value.DoubleLiteral(v) => v
      case other => throw new MatchError(other)
    }
    override def compare(a: Double, b: Double): Int = java.lang.Double.compare(a + 0.0, b + 0.0)
  }

  class Binaries(name: String, text: Boolean) extends Kind[Array[Byte]](name) {
    type Stored = String // one char for each byte
    override def next(random: Random): String =
      if (random.nextInt(10) == 0) "\u00ff" * (60 + random.nextInt(10))
      else
        Random.alphanumeric.take(random.nextInt(3)).mkString +
          Seq.fill(random.nextInt(3))(random.nextInt(256).toChar).mkString
    override def add(group: Group, value: String): Unit =
      group.add("c", Binary.fromConstantByteArray(seen(value)))
    override def seen(value: String): Array[Byte] = value.getBytes("ISO-8859-1")
    override def literal(random: Random, near: String): Value = Value.Bytes(seen(near), text)
    override def seen(literal: Value): Array[Byte] = literal match {
      case Value.Bytes(bytes, _) => bytes
      case other => throw new MatchError(other)
    }
    override def compare(a: Array[Byte], b: Array[Byte]): Int =
      a.map(_ & 0xff).toSeq.zip(b.map(_ & 0xff).toSeq).find(p => p._1 != p._2) match {
        case Some((x, y)) => x - y
        case None => a.length - b.length
      }
  }

  object Kinds {
    private def int(name: String, bits: Int, from: Int, until: Int): Kind[_] = new Exact[Int](
      name,
      edges(_, from, until).toInt,
      (g, v) => g.add("c", v),
      v => BigDecimal.valueOf(v.toLong),
      (_, v) => Value.IntegerLiteral(v.longValue, bits))

    private def edges(random: Random, from: Long, until: Long): Long = random.nextInt(10) match {
      case 0 => from
      case 1 => until
      case _ => math.max(from, math.min(until, random.nextInt(300).toLong - 150))
    }

    private def long(
        name: String,
        literal: (Random, BigDecimal) => Value,
        number: Long => BigDecimal,
        from: Long = Long.MinValue,
        until: Long = Long.MaxValue): Kind[_] =
      new Exact[Long](name, edges(_, from, until), (g, v) => g.add("c", v), number, literal)

    private def timestamp(annotation: String, perMilli: Int, utc: Boolean): Kind[_] = long(
      s"int64 c (TIMESTAMP($annotation,$utc))",
      (random, v) =>
        Value.Timestamp(
          v.longValue + (if (random.nextInt(4) == 0) random.nextInt(1000) else 0),
          utc),
      v => BigDecimal.valueOf(v).multiply(BigDecimal.valueOf(1000L / perMilli)),
      from = -2000000000L * 1000,
      until = 2000000000L * 1000
    )

    private def decimal(random: Random, v: BigDecimal): Value =
      Value.Decimal(v.unscaledValue, if (random.nextBoolean()) 18 else 38, v.scale)

    private def unsigned(v: Long): BigDecimal =
      new BigDecimal(new BigInteger(java.lang.Long.toUnsignedString(v)))

    private def fixedDecimal(
        length: Int,
        literal: (Random, BigDecimal) => Value = decimal): Kind[_] = new Exact[Long](
      s"fixed_len_byte_array($length) c (DECIMAL(${if (length < 8) 9 else 18},2))",
      edges(_, -999999999L, 999999999L),
      (g, v) => g.add("c", Binary.fromConstantByteArray(SyntheticFooter.fixed(v, length))),
      BigDecimal.valueOf(_, 2),
      literal
    )

    /** A literal with two more digits after the point, which half of the time are not zero. */
    private def wider(random: Random, v: BigDecimal): Value = {
      val more = BigDecimal.valueOf(if (random.nextBoolean()) random.nextInt(100) else 0, 2)
      val all = v.add(more.scaleByPowerOfTen(-v.scale))
      Value.Decimal(all.setScale(v.scale + 2).unscaledValue, 38, v.scale + 2)
    }

    private def fixedBytes(annotation: String): Kind[_] =
      new Binaries(s"fixed_len_byte_array(16) c$annotation", text = false) {
        override def next(random: Random): String =
          Seq.fill(16)((random.nextInt(3) * 127).toChar).mkString
        override def literal(random: Random, near: String): Value =
          super.literal(random, if (random.nextInt(4) == 0) near.take(15) else near)
      }

    private val widened: Seq[Kind[_]] = Seq(
      new Exact[Int](
        "int32 c",
        edges(_, Int.MinValue, Int.MaxValue).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong),
        (random, v) => Value.DoubleLiteral(v.doubleValue + random.nextInt(3) / 2.0)
      ),
      new Exact[Int](
        "int32 c",
        edges(_, Int.MinValue, Int.MaxValue).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong),
        wider),
      long("int64 c", wider, BigDecimal.valueOf(_)),
      new Real[Float](
        "float c",
        _.toFloat,
        (g, v) => g.add("c", v),
        _.toDouble,
        v => Value.DoubleLiteral(if (v.toLong % 5 == 1) v + 1e-9 else v)),
      new Exact[Int](
        "int32 c (DECIMAL(9,2))",
        edges(_, -999999999, 999999999).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong, 2),
        wider),
      fixedDecimal(7, wider),
      new Exact[Int](
        "int32 c (DATE)",
        edges(_, -900000, 2000000).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v * 86400000000L),
        (random, v) => Value.Timestamp(v.longValue + random.nextInt(2), utc = false)
      ),
      long(
        "int64 c (TIME(MICROS,true))",
        (random, v) => Value.Time(v.longValue + random.nextInt(2)),
        v => BigDecimal.valueOf(v * 1000),
        0,
        86399999999L),
      long(
        "int64 c (TIMESTAMP(NANOS,true))",
        (_, v) => Value.IntegerLiteral(v.longValue, 64),
        BigDecimal.valueOf(_)),
      new Exact[Long](
        "int96 c",
        edges(_, ColumnType.FirstJulianMicros, Long.MaxValue / 2),
        (g, v) => g.add("c", Binary.fromConstantByteArray(ColumnType.int96(v))),
        BigDecimal.valueOf(_),
        (_, v) => Value.Timestamp(v.longValue, utc = true)
      ),
      fixedBytes(""),
      fixedBytes(" (UUID)")
    )

    val all: Seq[Kind[_]] = Seq(
      int("int32 c", 32, Int.MinValue, Int.MaxValue),
      new Exact[Int](
        "int32 c (INTEGER(32,true))",
        edges(_, Int.MinValue, Int.MaxValue).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong),
        (random, v) =>
          Value.IntegerLiteral(v.longValue + (if (random.nextInt(5) == 0) 1L << 32 else 0), 64)
      ),
      int("int32 c (INTEGER(8,true))", 8, -128, 127),
      int("int32 c (INTEGER(16,true))", 16, -32768, 32767),
      int("int32 c (INTEGER(8,false))", 16, 0, 255),
      int("int32 c (INTEGER(16,false))", 32, 0, 65535),
      new Exact[Int](
        "int32 c (INTEGER(32,false))",
        edges(_, Int.MinValue, Int.MaxValue).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v & 0xffffffffL),
        (_, v) => Value.IntegerLiteral(v.longValue, 64)
      ),
      long("int64 c", (_, v) => Value.IntegerLiteral(v.longValue, 64), BigDecimal.valueOf(_)),
      long(
        "int64 c (INTEGER(64,false))",
        (_, v) => Value.Decimal(v.unscaledValue, 20, 0),
        unsigned),
      new Real[Float](
        "float c",
        _.toFloat,
        (g, v) => g.add("c", v),
        _.toDouble,
        v => Value.FloatLiteral(v.toFloat)),
      new Real[Double](
        "double c",
        identity,
        (g, v) => g.add("c", v),
        identity,
        Value.DoubleLiteral(_)),
      new Binaries("binary c (STRING)", text = true),
      new Binaries("binary c", text = false),
      new Exact[Boolean](
        "boolean c",
        _.nextBoolean(),
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(if (v) 1 else 0),
        (_, v) => Value.Bool(v.signum > 0)),
      new Exact[Int](
        "int32 c (DATE)",
        edges(_, -141427, 2000000).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong),
        (_, v) => Value.Date(v.intValue)),
      timestamp("MILLIS", 1, utc = true),
      timestamp("MICROS", 1000, utc = true),
      timestamp("MILLIS", 1, utc = false),
      timestamp("MICROS", 1000, utc = false),
      new Exact[Int](
        "int32 c (DECIMAL(9,2))",
        edges(_, -999999999, 999999999).toInt,
        (g, v) => g.add("c", v),
        v => BigDecimal.valueOf(v.toLong, 2),
        decimal),
      long(
        "int64 c (DECIMAL(18,2))",
        decimal,
        BigDecimal.valueOf(_, 2),
        -999999999999999999L,
        999999999999999999L),
      fixedDecimal(5),
      fixedDecimal(16)
    ) ++ widened
  }
}
