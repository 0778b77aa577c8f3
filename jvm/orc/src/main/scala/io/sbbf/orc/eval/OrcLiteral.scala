package io.sbbf.orc.eval

import java.math.BigDecimal
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.sql.Date
import java.time.LocalDate

import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf.Type
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import io.sbbf.core.predicate.Value
import io.sbbf.core.predicate.Value._

/**
 * A literal as ORC's library compares it.
 *
 * @param of the type of the comparison
 * @param values the literals that equal the query's: both zeros for a zero of a floating-point
 *   column, in ascending order, and otherwise one
 */
private[eval] final case class OrcLiteral(of: Type, values: Seq[AnyRef])

private[eval] object OrcLiteral {

  /**
   * 1582-10-25. Earlier days may be converted from the Julian calendar, which moves those of the ten
   * days that it lacks past later ones.
   */
  private final val FirstGregorianDay = -141417

  /** Longer texts may be cut in statistics, after 1,024 bytes. */
  private final val LongestText = 1000

  /** Java compares texts with greater characters in another order than their bytes have. */
  private final val FirstSurrogate = '\ud800'

  /**
   * Returns a literal for a column of the file; None if the file stores the column as another type,
   * or ORC's library cannot compare it as Spark does: NaN, CHAR, timestamps and old dates.
   */
  def of(value: Value, stored: TypeDescription): Option[OrcLiteral] =
    (value, stored.getCategory) match {
      case (IntegerLiteral(number, bits), category) if widthOf(category).exists(_ <= bits) =>
        one(Type.LONG, Long.box(number))
      case (Bool(truth), Category.BOOLEAN) => one(Type.BOOLEAN, Boolean.box(truth))
      case (FloatLiteral(number), Category.FLOAT) => ofDouble(number.toDouble)
      case (DoubleLiteral(number), Category.DOUBLE) => ofDouble(number)
      case (Decimal(unscaled, precision, scale), Category.DECIMAL)
          if stored.getScale == scale && stored.getPrecision <= precision =>
        Option(HiveDecimal.create(new BigDecimal(unscaled, scale)))
          .flatMap(d => one(Type.DECIMAL, new HiveDecimalWritable(d)))
      case (Value.Date(days), Category.DATE) if days >= FirstGregorianDay => ofDay(days)
      case (Bytes(bytes, true), Category.STRING | Category.VARCHAR)
          if bytes.length < LongestText =>
        decoded(bytes).filter(_.forall(_ < FirstSurrogate)).flatMap(one(Type.STRING, _))
      case _ => None
    }

  private def one(of: Type, value: AnyRef): Option[OrcLiteral] = Some(OrcLiteral(of, Seq(value)))

  private def widthOf(category: Category): Option[Int] = category match {
    case Category.BYTE => Some(8)
    case Category.SHORT => Some(16)
    case Category.INT => Some(32)
    case Category.LONG => Some(64)
    case _ => None
  }

  private def ofDouble(number: Double): Option[OrcLiteral] =
    if (number.isNaN) None
    else if (number == 0.0) Some(OrcLiteral(Type.FLOAT, Seq(Double.box(-0.0), Double.box(0.0))))
    else one(Type.FLOAT, Double.box(number))

  /** Some days are missing in some time zones, so that java.sql.Date has no value for them. */
  private def ofDay(days: Int): Option[OrcLiteral] = {
    val day = LocalDate.ofEpochDay(days.toLong)
    val date = Date.valueOf(day)
    if (date.toLocalDate == day) one(Type.DATE, date) else None
  }

  private def decoded(bytes: Array[Byte]): Option[String] =
    try
      Some(
        UTF_8.newDecoder
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString)
    catch { case _: CharacterCodingException => None }
}
