package io.sbbf.parquet.values

import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DecimalLogicalTypeAnnotation,
  EnumLogicalTypeAnnotation,
  IntLogicalTypeAnnotation,
  StringLogicalTypeAnnotation,
  UUIDLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import io.sbbf.parquet.model.Physical

/** The way in which the values of a column are hashed for its filters. */
private[sbbf] sealed trait ValueKind

private[sbbf] object ValueKind {
  case object Ints extends ValueKind
  case object Longs extends ValueKind
  case object Bytes extends ValueKind

  /**
   * Returns the kind of a type, or None for a type without filters:
   *
   *  - BOOLEAN: min/max cover its two values, and writers hash them in different ways or not at
   *    all.
   *  - Decimals in byte arrays of variable length: one number has several encodings.
   *  - FLOAT16: some readers probe filters for a FLOAT.
   */
  def of(primitive: PrimitiveType): Option[ValueKind] = primitive.getPrimitiveTypeName match {
    case FIXED_LEN_BYTE_ARRAY if isHalf(primitive) => None
    case INT32 | FLOAT => Some(Ints)
    case INT64 | DOUBLE => Some(Longs)
    case BINARY
        if primitive.getLogicalTypeAnnotation.isInstanceOf[DecimalLogicalTypeAnnotation] =>
      None
    case BINARY | FIXED_LEN_BYTE_ARRAY | INT96 => Some(Bytes)
    case BOOLEAN => None
  }

  /** Returns the kind of values that no Parquet file holds, of a type in which Spark writes them. */
  def of(physical: Physical): ValueKind = physical match {
    case Physical.Int32 => Ints
    case Physical.Int64 => Longs
    case _ => Bytes
  }

  /**
   * Whether the type is FLOAT16. Compares by name, because parquet-mr before 1.14 lacks the
   * class.
   */
  private def isHalf(primitive: PrimitiveType): Boolean =
    String.valueOf(primitive.getLogicalTypeAnnotation) == "FLOAT16"

  /** The reason why a type has no filters. */
  final val WhyNone =
    "filters are unsupported for BOOLEAN (min/max cover its two values), for decimals in byte " +
      "arrays of variable length (one number has several encodings) and for FLOAT16 (readers " +
      "hash it in different ways)"

  /**
   * Whether queries usually look up single values of a type, such as keys and names. Queries
   * usually compare decimals, floating-point numbers, dates and times with ranges.
   */
  def isKey(primitive: PrimitiveType): Boolean = primitive.getLogicalTypeAnnotation match {
    case null =>
      Set(INT32, INT64, BINARY, FIXED_LEN_BYTE_ARRAY).contains(primitive.getPrimitiveTypeName)
    case _: IntLogicalTypeAnnotation | _: StringLogicalTypeAnnotation |
        _: EnumLogicalTypeAnnotation | _: UUIDLogicalTypeAnnotation =>
      true
    case _ => false
  }
}
