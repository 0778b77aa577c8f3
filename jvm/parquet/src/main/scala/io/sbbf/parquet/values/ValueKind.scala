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

/** How the values of a column are hashed for its filters. */
private[sbbf] sealed trait ValueKind

private[sbbf] object ValueKind {
  case object Ints extends ValueKind
  case object Longs extends ValueKind
  case object Bytes extends ValueKind

  /**
   * `None` for BOOLEAN, whose two values min/max tell, and which writers hash in different ways or
   * not at all, for decimals in byte arrays of any length, of which one number has several, and for FLOAT16, which some
   * readers look up as a FLOAT.
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

  /** By its name, for parquet-mr before 1.14 does not have it. */
  private def isHalf(primitive: PrimitiveType): Boolean =
    String.valueOf(primitive.getLogicalTypeAnnotation) == "FLOAT16"

  /** What there is to say of a type without one. */
  final val WhyNone =
    "there are no filters for BOOLEAN, whose two values min/max tell, for decimals in byte arrays of any length, of " +
      "which one number has several, nor for FLOAT16, which readers look up in different ways"

  /**
   * Whether values of a type are looked up one by one, as keys and names are; numbers with a point,
   * dates and times are asked for by ranges.
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
