package io.sbbf.parquet.statistics

import io.sbbf.parquet.model.{ColumnType, Logical, Physical}

/**
 * The type that a table declares for a column. Covers only types for which parquet-mr compares
 * the stored values in another way than Spark compares the values that it reads.
 */
sealed abstract class DeclaredType extends Product with Serializable {

  /**
   * Returns whether a file's column of type `stored` holds each value as the table has it, so
   * that both comparisons agree.
   */
  private[parquet] def isStoredAs(stored: ColumnType): Boolean

  /**
   * Returns the values of the type, if a file's column may hold others that Spark would read as
   * something else.
   */
  private[parquet] def range: Option[ValueRange] = None
}

object DeclaredType {

  /**
   * TINYINT, SMALLINT or BIGINT. Spark cuts any INT32 to the first two. parquet-mr cuts the
   * BIGINT literals of a list to the 32 bits of an INT32 column.
   */
  final case class Integer(bits: Int) extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean = stored match {
      case ColumnType(Physical.Int32, Logical.Integer(width, true)) => width <= bits && bits < 32
      case ColumnType(Physical.Int64, Logical.Integer(64, true) | Logical.Plain) => bits == 64
      case _ => false
    }

    override private[parquet] def range: Option[ValueRange] =
      if (bits < 64) Some(ValueRange.ofBits(bits)) else None
  }

  /** FLOAT or DOUBLE. */
  final case class Floating(bits: Int) extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean =
      stored == ColumnType(if (bits == 32) Physical.Float32 else Physical.Float64, Logical.Plain)
  }

  /**
   * DECIMAL. parquet-mr cuts literals to the width of the column, and Spark reads values that do
   * not fit as NULL.
   */
  final case class Decimal(precision: Int, scale: Int) extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean =
      stored.logical == Logical.Decimal(precision, scale) && (stored.physical match {
        case Physical.Int32 => precision <= 9
        case Physical.Int64 => precision <= 18
        case Physical.FixedBytes(length) => maxPrecision(length) >= precision
        case _ => false
      })

    override private[parquet] def range: Option[ValueRange] = Some(ValueRange.ofDigits(precision))

    /**
     * Returns the number of digits that always fit into a two's complement number of `length`
     * bytes (LogicalTypes.md, DECIMAL).
     */
    private def maxPrecision(length: Int): Int =
      math.floor((8.0 * length - 1) * math.log10(2)).toInt
  }

  /** DECIMAL, if it only matters that its values fit: Spark reads others as NULL. */
  final case class DecimalWithin(precision: Int, scale: Int) extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean =
      stored.logical match {
        case Logical.Decimal(width, places) =>
          width <= precision && places == scale && stored.width > 0
        case _ => false
      }

    override private[parquet] def range: Option[ValueRange] = Some(ValueRange.ofDigits(precision))
  }

  /** DATE. Spark may read old days of a file as days of the Julian calendar. */
  case object Date extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean =
      stored == ColumnType(Physical.Int32, Logical.Date(mayRebase = false))
  }

  /**
   * TIMESTAMP.
   *
   * @param inMicros whether values are compared with fractions of milliseconds, which parquet-mr
   *   cuts to the unit of the file
   * @param isGregorian whether values are compared with old instants, which Spark may rebase from
   *   the Julian calendar
   */
  final case class Timestamp(inMicros: Boolean, isGregorian: Boolean) extends DeclaredType {
    override private[parquet] def isStoredAs(stored: ColumnType): Boolean = stored match {
      case ColumnType(Physical.Int64, Logical.Timestamp(perMilli, true, mayRebase)) =>
        (perMilli == 1000 || perMilli == 1 && !inMicros) && !(mayRebase && isGregorian)
      case _ => false
    }
  }
}
