package io.sbbf.parquet.values

import org.apache.parquet.format.{
  ConvertedType,
  FieldRepetitionType,
  LogicalType,
  MicroSeconds,
  SchemaElement,
  TimeUnit,
  TimestampType,
  Type
}

/**
 * The type of values that no Parquet file holds. They are hashed, and compared with literals, as if
 * they were in a Parquet column of the type in which Spark writes them.
 */
private[sbbf] sealed abstract class KeyType extends Product with Serializable {
  import KeyType._

  private[parquet] final def kind: ValueKind = this match {
    case Integer(64) | Timestamp(_) => ValueKind.Longs
    case Integer(_) | Date => ValueKind.Ints
    case Decimal(precision, _) if precision <= IntDigits => ValueKind.Ints
    case Decimal(precision, _) if precision <= LongDigits => ValueKind.Longs
    case Decimal(_, _) | Text | Binary => ValueKind.Bytes
  }

  /** Returns the schema of a column with this name. */
  private[parquet] final def column(name: String): SchemaElement = {
    val element = new SchemaElement(name)
    element.setRepetition_type(FieldRepetitionType.OPTIONAL)
    kind match {
      case ValueKind.Ints => element.setType(Type.INT32)
      case ValueKind.Longs => element.setType(Type.INT64)
      case ValueKind.Bytes => element.setType(Type.BYTE_ARRAY)
    }
    this match {
      case Integer(8) => element.setConverted_type(ConvertedType.INT_8)
      case Integer(16) => element.setConverted_type(ConvertedType.INT_16)
      case Integer(_) | Binary =>
      case Text => element.setConverted_type(ConvertedType.UTF8)
      case Date => element.setConverted_type(ConvertedType.DATE)
      case Timestamp(isInstant) =>
        val unit = TimeUnit.MICROS(new MicroSeconds)
        element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(isInstant, unit)))
      case decimal @ Decimal(precision, scale) =>
        element.setConverted_type(ConvertedType.DECIMAL).setPrecision(precision).setScale(scale)
        if (kind == ValueKind.Bytes)
          element.setType(Type.FIXED_LEN_BYTE_ARRAY).setType_length(decimal.width)
    }
    element
  }
}

private[sbbf] object KeyType {

  /** @param bits 8, 16, 32 or 64 */
  final case class Integer(bits: Int) extends KeyType
  case object Text extends KeyType
  case object Binary extends KeyType

  /** Days since 1970 in the proleptic Gregorian calendar. */
  case object Date extends KeyType

  /**
   * Microseconds since 1970 in the proleptic Gregorian calendar.
   *
   * @param isInstant whether the type has a time zone: TIMESTAMP, not TIMESTAMP_NTZ
   */
  final case class Timestamp(isInstant: Boolean) extends KeyType

  /** Unscaled numbers: those of more than 18 digits in `width` big-endian bytes. */
  final case class Decimal(precision: Int, scale: Int) extends KeyType {

    /** The fewest bytes that hold all numbers of this precision and a sign. */
    def width: Int = (BigInt(10).pow(precision) - 1).bitLength / 8 + 1
  }

  /** The most digits of a decimal in an INT32 and in an INT64. */
  private final val IntDigits = 9
  private final val LongDigits = 18
}
