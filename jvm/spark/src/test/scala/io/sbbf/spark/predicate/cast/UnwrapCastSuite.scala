package io.sbbf.spark.predicate.cast

import java.math.BigDecimal

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And => _,
  In => SqlIn,
  IsNotNull => _,
  IsNull => _,
  Or => _,
  _
}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.spark.column.CatalystValue
import io.sbbf.spark.predicate.PredicateTranslator

/** Comparisons of casts, against Spark's own evaluation of them. */
class UnwrapCastSuite extends AnyFunSuite {
  import UnwrapCastSuite._

  private def translated(e: Expression): RowGroupPredicate =
    new PredicateTranslator(Set.empty, caseSensitive = true, byFieldId = false)
      .translate(Seq(e)) match {
      case Unknown(_) => unread
      case other => other
    }

  private val unread = Unknown("")

  private def column(dataType: DataType) = AttributeReference("c", dataType)()
  private def cast(
      from: DataType,
      to: DataType,
      mode: EvalMode.Value = EvalMode.ANSI,
      zone: String = "UTC") = Cast(column(from), to, Some(zone), mode)
  private def text(s: String) = Literal(UTF8String.fromString(s), StringType)
  private def leaf(test: Test) = Leaf(Seq("c"), test)
  private def long(v: Long) = Value.IntegerLiteral(v, 64)
  private def dec(v: String, precision: Int, scale: Int) =
    Literal(Decimal(new BigDecimal(v), precision, scale), DecimalType(precision, scale))

  private val cases: Seq[(String, Expression, RowGroupPredicate)] = Seq(
    (
      "a long compared to a double",
      EqualTo(cast(LongType, DoubleType), Literal(5.0)),
      Or(Seq(leaf(In(Seq(long(5))))))),
    (
      "a long compared to a double between two longs",
      EqualTo(cast(LongType, DoubleType), Literal(5.5)),
      Or(Seq(False))),
    (
      "a double that several longs are rounded to",
      EqualTo(cast(LongType, DoubleType), Literal(9007199254740992.0)),
      Or(Seq(leaf(In(Seq(9007199254740992L, 9007199254740993L).map(long)))))),
    (
      "an order of longs and doubles",
      LessThan(cast(LongType, DoubleType), Literal(5.5)),
      leaf(Less(long(5), orEqual = true))),
    (
      "its negation",
      Not(LessThan(cast(LongType, DoubleType), Literal(5.5))),
      leaf(Greater(long(6), orEqual = true))),
    (
      "a float compared to a double that no float is",
      EqualTo(cast(FloatType, DoubleType), Literal(0.1)),
      Or(Seq(False))),
    (
      "a float compared to a double that is one",
      EqualTo(cast(FloatType, DoubleType), Literal(0.1f.toDouble)),
      Or(Seq(leaf(In(Seq(Value.FloatLiteral(0.1f))))))),
    (
      "an int compared to a decimal",
      EqualTo(cast(IntegerType, DecimalType(12, 1)), dec("4.0", 12, 1)),
      Or(Seq(leaf(In(Seq(Value.IntegerLiteral(4, 32))))))),
    (
      "text of a number",
      EqualTo(cast(LongType, StringType), text("42")),
      leaf(In(Seq(long(42))))),
    ("text that is no number's", EqualTo(cast(LongType, StringType), text("042")), False),
    ("an order of texts", LessThan(cast(LongType, StringType), text("42")), unread),
    (
      "NOT of a text that is no number's",
      Not(EqualTo(cast(LongType, StringType), text("x"))),
      leaf(IsNotNull)),
    (
      "an IN list of texts with a NULL",
      SqlIn(
        cast(LongType, StringType),
        Seq(text("1"), text("01"), text("2"), Literal(null, StringType))),
      leaf(In(Seq(long(1), long(2))))),
    (
      "NOT IN with a NULL",
      Not(SqlIn(cast(LongType, StringType), Seq(text("1"), Literal(null, StringType)))),
      unread),
    ("text as a number", EqualTo(cast(StringType, IntegerType), Literal(42)), unread),
    (
      "a cast that wraps around",
      EqualTo(cast(LongType, IntegerType, EvalMode.LEGACY), Literal(5)),
      unread),
    (
      "a cast that gives NULL beyond the type",
      EqualTo(cast(LongType, IntegerType, EvalMode.TRY), Literal(5)),
      Or(Seq(leaf(In(Seq(long(5))))))),
    (
      "a cast that raises an error beyond the type",
      EqualTo(cast(LongType, IntegerType), Literal(5)),
      Or(
        Seq(
          Or(Seq(leaf(In(Seq(long(5)))))),
          leaf(Less(long(Int.MinValue), orEqual = false)),
          leaf(Greater(long(Int.MaxValue), orEqual = false))))),
    (
      "a cast that raises an error between what it is defined for and NULL",
      EqualTo(
        Cast(cast(LongType, IntegerType, EvalMode.TRY), ByteType, Some("UTC"), EvalMode.ANSI),
        Literal(5.toByte)),
      Or(
        Seq(
          leaf(In(Seq(long(5)))),
          leaf(Less(long(Byte.MinValue.toLong), orEqual = false)),
          leaf(Greater(long(Byte.MaxValue.toLong), orEqual = false))))),
    (
      "the day of an instant",
      EqualTo(cast(TimestampType, DateType, zone = "Europe/Vienna"), Literal(19813, DateType)),
      Or(
        Seq(And(Seq( // 2024-03-31, which has 23 hours there
          leaf(Greater(Value.Timestamp(1711839600000000L, utc = true), orEqual = true)),
          leaf(Less(Value.Timestamp(1711922400000000L, utc = true), orEqual = false))
        ))))),
    (
      "a local time that comes twice",
      EqualTo(
        cast(TimestampType, TimestampNTZType, zone = "Europe/Vienna"),
        Literal(1729996200000000L, TimestampNTZType)
      ), // 2024-10-27T02:30
      leaf(
        In(
          Seq(
            Value.Timestamp(1729989000000000L, utc = true),
            Value.Timestamp(1729992600000000L, utc = true))))),
    (
      "a local time that is skipped",
      EqualTo(
        cast(TimestampType, TimestampNTZType, zone = "Europe/Vienna"),
        Literal(1711852200000000L, TimestampNTZType)
      ), // 2024-03-31T02:30
      False),
    (
      "a cast of a cast",
      EqualTo(Cast(cast(ShortType, IntegerType), DoubleType), Literal(7.0)),
      Or(Seq(leaf(In(Seq(Value.IntegerLiteral(7, 16)))))))
  )

  cases.foreach { case (title, expression, expected) =>
    test(s"reads $title.") { assert(translated(expression) == expected.mergeByColumn(_ => true)) }
  }

  test("no row is lost that Spark's evaluation finds, or fails on; exact casts keep no other.") {
    val seed = sys.env.get("SBBF_SEED").fold(Random.nextLong())(_.toLong)
    println(s"SBBF_SEED=$seed")
    val random = new Random(seed)
    val read = collection.mutable.Map.empty[(DataType, DataType), Int].withDefaultValue(0)
    for (pair @ (from, to) <- pairs; mode <- EvalMode.values; _ <- 0 until RoundsPerPair) {
      val zone = zones(random.nextInt(zones.size))
      val c = cast(from, to, mode, zone)
      val applied = on(c)
      val values = Seq.fill(20)(value(from, random)) :+ null
      val near = values.flatMap(v => Try(applied.eval(InternalRow(v))).toOption.filter(_ != null))
      val literal = () =>
        if (near.nonEmpty && random.nextInt(4) > 0) near(random.nextInt(near.size))
        else value(to, random)
      val e = comparison(c, literal, to, random)
      val predicate = translated(e)
      if (predicate.canPrune) read(pair) += 1
      val test = on(e)
      for (v <- values ++ values.flatMap(neighbours)) {
        val hint = s"${e.sql} in $mode, $zone for $v: $predicate"
        Try(test.eval(InternalRow(v))) match {
          case Success(true) => assert(holds(predicate, v, from), hint)
          case Failure(_) =>
            assert(isBeyondCalendars(from, v) || holds(predicate, v, from), hint)
          case Success(_) if isExact(from, to) && isDecidable(applied, v) =>
            assert(!predicate.canPrune || !holds(predicate, v, from), hint)
          case Success(_) =>
        }
      }
    }
    pairs.foreach(pair => assert(read(pair) > 0, s"$pair is never usable"))
  }
}

object UnwrapCastSuite {
  private val RoundsPerPair = 20

  private val pairs: Seq[(DataType, DataType)] = {
    val integers = Seq(ByteType, ShortType, IntegerType, LongType)
    val decimals = Seq(DecimalType(5, 2), DecimalType(20, 0), DecimalType(38, 10))
    val numbers = integers ++ decimals :+ DoubleType
    (for (from <- integers ++ decimals; to <- numbers :+ StringType if from != to)
      yield (from, to)) ++ Seq(
      (BooleanType, IntegerType),
      (LongType, FloatType),
      (FloatType, DoubleType),
      (DoubleType, FloatType),
      (DoubleType, IntegerType),
      (FloatType, LongType),
      (DoubleType, ShortType),
      (FloatType, StringType),
      (DoubleType, StringType),
      (DateType, StringType),
      (DateType, TimestampType),
      (DateType, TimestampNTZType),
      (TimestampNTZType, DateType),
      (TimestampNTZType, StringType),
      (TimestampType, DateType),
      (TimestampType, TimestampNTZType),
      (TimestampType, StringType),
      (TimestampType, LongType),
      (TimestampType, DoubleType),
      (LongType, TimestampType)
    )
  }

  /** Whether a comparison keeps the rows that Spark does, and no others. */
  private def isExact(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType | ShortType | IntegerType, LongType | DoubleType | StringType) => true
    case (LongType, DoubleType | StringType) | (FloatType, DoubleType) => true
    case (DateType | TimestampNTZType, StringType | TimestampNTZType | DateType) => true
    case _ => false
  }

  /** Whether evidence decides a value: it covers no NaN and no value that the cast makes NULL. */
  private def isDecidable(cast: Expression, v: Any): Boolean =
    cast.eval(InternalRow(v)) != null && v.toString != "NaN"

  private val Day = 86400000000L

  /** Whether a value is within a day of the ends, where local time cannot be computed. */
  private def isBeyondCalendars(from: DataType, v: Any): Boolean = v match {
    case micros: Long =>
      from == TimestampType && (micros > Long.MaxValue - Day || micros < Long.MinValue + Day)
    case _ => false
  }

  private val zones = Seq(
    "UTC",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "+05:30")

  private def on(e: Expression): Expression = e.transform { case a: AttributeReference =>
    BoundReference(0, a.dataType, nullable = true)
  }

  private def comparison(
      c: Expression,
      literal: () => Any,
      to: DataType,
      random: Random): Expression = {
    def one = Literal(literal(), to)
    val e = random.nextInt(9) match {
      case 0 => LessThan(c, one)
      case 1 => LessThanOrEqual(c, one)
      case 2 => GreaterThan(one, c)
      case 3 => GreaterThan(c, one)
      case 4 => GreaterThanOrEqual(c, one)
      case 5 => SqlIn(c, Seq.fill(3)(one))
      case 6 => EqualNullSafe(c, one)
      case _ => EqualTo(c, one)
    }
    if (random.nextInt(3) == 0) Not(e) else e
  }

  private def integer(random: Random, bits: Int): Long = random.nextInt(6) match {
    case 0 => -1L >>> 1 >> (64 - bits) // the greatest
    case 1 => ~(-1L >>> 1 >> (64 - bits))
    case 2 => random.nextLong() >> (64 - bits)
    case 3 => ((1L << random.nextInt(bits)) - 2 + random.nextInt(4)) << (64 - bits) >> (64 - bits)
    case _ => random.nextInt(100).toLong - 50
  }

  private def instant(random: Random): Long = random.nextInt(5) match {
    case 0 => integer(random, 64)
    // 1883 to 2100, often at a full quarter of an hour
    case 1 => -2745000000L * 1000000 + (random.nextDouble() * 6.8e15).toLong
    case _ => (-3050000L + random.nextInt(7560000)) * 900 * 1000000
  }

  private def value(t: DataType, random: Random): Any = t match {
    case BooleanType => random.nextBoolean()
    case ByteType => integer(random, 8).toByte
    case ShortType => integer(random, 16).toShort
    case IntegerType => integer(random, 32).toInt
    case LongType => integer(random, 64)
    case FloatType => value(DoubleType, random).asInstanceOf[Double].toFloat
    case DoubleType =>
      val special =
        Seq(0.0, -0.0, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity) ++
          Seq(Double.MinPositiveValue, Double.MaxValue, 0.1, 32767.5, 2147483647.5)
      random.nextInt(4) match {
        case 0 => special(random.nextInt(special.size))
        case 1 => integer(random, 64).toDouble
        case 2 => java.lang.Double.longBitsToDouble(random.nextLong())
        case _ => random.nextInt(200) / 8.0 - 10
      }
    case d: DecimalType =>
      val digits = 1 + random.nextInt(d.precision)
      val unscaled = BigInt(4 * digits, random) % BigInt(10).pow(digits)
      val signed = if (random.nextBoolean()) unscaled else -unscaled
      Decimal(new BigDecimal(signed.bigInteger, d.scale), d.precision, d.scale)
    case DateType =>
      if (random.nextInt(8) == 0) integer(random, 32).toInt
      else random.nextInt(60000) - 30000
    case TimestampType | TimestampNTZType => instant(random)
    case StringType =>
      val texts = Seq("042", "-0", "x", "", "1.50", "2024-1-1", "NaN", "1e3", "0.0", "-0.0")
      UTF8String.fromString(texts(random.nextInt(texts.size)))
  }

  /** The values around, where a wrong cut would show. */
  private[cast] def neighbours(v: Any): Seq[Any] = v match {
    case b: Byte => Seq((b - 1).toByte, (b + 1).toByte)
    case s: Short => Seq((s - 1).toShort, (s + 1).toShort)
    case i: Int => Seq(i - 1, i + 1)
    case l: Long => Seq(l - 1, l + 1, l - 3600000000L, l + 3600000000L, l + 60000000L)
    case f: Float => Seq(Math.nextUp(f), Math.nextDown(f))
    case d: Double => Seq(Math.nextUp(d), Math.nextDown(d))
    case d: Decimal =>
      Seq(-1L, 1L)
        .map(n => d.toJavaBigDecimal.add(BigDecimal.valueOf(n, d.scale)))
        .filter(_.precision <= d.precision)
        .map(Decimal(_, d.precision, d.scale))
    case _ => Nil
  }

  /** Whether the predicate is TRUE, or unknown, for one value of the column. */
  private[cast] def holds(predicate: RowGroupPredicate, v: Any, t: DataType): Boolean =
    predicate match {
      case True | Unknown(_) => true
      case False => false
      case And(children) => children.forall(holds(_, v, t))
      case Or(children) => children.exists(holds(_, v, t))
      case Leaf(column, AllOf(tests)) => tests.forall(t1 => holds(Leaf(column, t1), v, t))
      case Leaf(_, IsNull) => v == null
      case Leaf(_, IsNotNull) => v != null
      case Leaf(_, _) if v == null => false
      case Leaf(_, In(values)) => values.exists(compare(v, t, _) == 0)
      case Leaf(_, NotIn(values)) => !values.exists(compare(v, t, _) == 0)
      case Leaf(_, Less(than, orEqual)) => compare(v, t, than) < (if (orEqual) 1 else 0)
      case Leaf(_, Greater(than, orEqual)) => compare(v, t, than) > (if (orEqual) -1 else 0)
    }

  private def compare(v: Any, t: DataType, literal: Value): Int =
    (CatalystValue.convert(v, t).get, literal) match {
      case (Value.FloatLiteral(a), Value.FloatLiteral(b)) =>
        java.lang.Float.compare(a + 0.0f, b + 0.0f)
      case (Value.DoubleLiteral(a), Value.DoubleLiteral(b)) =>
        java.lang.Double.compare(a + 0.0, b + 0.0)
      case (a, b) => number(a).compareTo(number(b))
    }

  private def number(value: Value): BigDecimal = value match {
    case Value.IntegerLiteral(v, _) => BigDecimal.valueOf(v)
    case Value.Bool(v) => BigDecimal.valueOf(if (v) 1 else 0)
    case Value.Date(v) => BigDecimal.valueOf(v.toLong)
    case Value.Timestamp(v, _) => BigDecimal.valueOf(v)
    case Value.Decimal(v, _, scale) => new BigDecimal(v, scale)
    case other => throw new MatchError(other)
  }
}
