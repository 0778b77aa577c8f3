package io.sbbf.spark.predicate.cast

import java.math.BigDecimal

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser.parseDataType
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate.{Greater, In => OneOf, Less, NotIn}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.spark.column.Column

/** Builds a cast, or casts of casts, from a text such as "BIGINT > INT > DOUBLE". */
private[cast] final class CastChain(path: String, modes: Seq[EvalMode.Value]) {
  def this(path: String, mode: EvalMode.Value) = this(path, Seq(mode))

  private val types = path.split(" > ").map(parseDataType).toSeq
  val from: DataType = types.head
  val cast: Cast = types.tail
    .zipAll(modes, from, modes.last)
    .foldLeft[Expression](BoundReference(0, from, nullable = true)) { case (inner, (to, mode)) =>
      Cast(inner, to, Some("Europe/Berlin"), mode)
    }
    .asInstanceOf[Cast]
  val monotone: Option[MonotoneCast] =
    MonotoneCast.of(Column(ColumnPath.named(Seq("c")), from), cast)
  def to: DataType = types.last
}

private[cast] object CastChain {

  /** Returns comparisons of a result, the first column of a row, and their translations. */
  def comparisons(
      translated: InvertibleExpression,
      to: DataType,
      a: Any,
      b: Any): Seq[(Expression, RowGroupPredicate)] = {
    val result = BoundReference(0, to, nullable = true)
    val one = Literal(a, to)
    val either = Seq(one, Literal(b, to))
    Seq(
      LessThan(result, one) -> translated.less(a, orEqual = false),
      LessThanOrEqual(result, one) -> translated.less(a, orEqual = true),
      GreaterThan(result, one) -> translated.greater(a, orEqual = false),
      GreaterThanOrEqual(result, one) -> translated.greater(a, orEqual = true),
      EqualTo(result, one) -> translated.oneOf(Seq(a)),
      In(result, either) -> translated.oneOf(Seq(a, b)),
      Not(In(result, either)) -> translated.noneOf(Seq(a, b))
    )
  }

  private val whole: Seq[BigInt] = {
    val powers = (0 to 64).map(BigInt(2).pow(_)) ++ (1 to 20).map(BigInt(10).pow(_))
    (for (p <- powers; near <- -1 to 1; sign <- Seq(-1, 1)) yield (p + near) * sign).distinct
  }

  /** Returns all values of a small type; of a large one, those next to powers of 2 and 10. */
  def boundaries(dataType: DataType): Seq[Any] = dataType match {
    case BooleanType => Seq(false, true)
    case ByteType => (Byte.MinValue to Byte.MaxValue).map(_.toByte)
    case ShortType => whole.filter(_.isValidShort).map(_.toShort)
    case IntegerType | DateType => whole.filter(_.isValidInt).map(_.toInt)
    case LongType | TimestampType => whole.filter(_.isValidLong).map(_.toLong)
    case FloatType => boundaries(DoubleType).map(_.asInstanceOf[Double].toFloat)
    case DoubleType =>
      whole.map(_.toDouble) ++ whole.map(_.toDouble / 2) ++
        Seq(-0.0, Double.MinPositiveValue, Double.MaxValue, Double.PositiveInfinity, Double.NaN)
    case d: DecimalType =>
      whole
        .filter(_.abs < BigInt(10).pow(d.precision))
        .map(k => Decimal(new BigDecimal(k.bigInteger, d.scale), d.precision, d.scale))
  }

  /** Returns values of the column that a predicate names, and the values next to them. */
  def cuts(predicate: RowGroupPredicate, dataType: DataType): Seq[Any] = {
    val named = predicate.leaves.map(_.test).flatMap {
      case OneOf(values) => Seq(values.head, values.last)
      case NotIn(values) => Seq(values.head, values.last)
      case Less(than, _) => Seq(than)
      case Greater(than, _) => Seq(than)
      case _ => Nil
    }
    named.map(catalyst(_, dataType)).flatMap(v => v +: UnwrapCastSuite.neighbours(v))
  }

  private def catalyst(value: Value, dataType: DataType): Any = value match {
    case Value.IntegerLiteral(v, _) => Cast(Literal(v), dataType).eval()
    case Value.Bool(v) => v
    case Value.FloatLiteral(v) => v
    case Value.DoubleLiteral(v) => v
    case Value.Date(days) => days
    case Value.Timestamp(micros, _) => micros
    case Value.Decimal(v, precision, scale) => Decimal(new BigDecimal(v, scale), precision, scale)
    case other => throw new MatchError(other)
  }
}
