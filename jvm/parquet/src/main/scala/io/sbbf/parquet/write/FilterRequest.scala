package io.sbbf.parquet
package write

import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DecimalLogicalTypeAnnotation,
  EnumLogicalTypeAnnotation,
  IntLogicalTypeAnnotation,
  StringLogicalTypeAnnotation,
  UUIDLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import io.sbbf.core.FilterSizing

/**
 * The bloom filters that somebody wants of one column of a file.
 *
 * @param column its number among the leaves of the schema, which is that of its chunks
 * @param fpp the FPP of each filter, if `largestBytes` allows
 * @param largestBytes of one filter, a power of two
 * @param fewest distinct values of a row group for which there is to be a filter
 * @param besideDictionary whether also where the dictionary holds all values of a row group
 */
private[sbbf] final case class FilterRequest(
    column: Int,
    kind: FilterRequest.Kind,
    fpp: Double,
    largestBytes: Int,
    fewest: Int = 1,
    besideDictionary: Boolean = true)

private[sbbf] object FilterRequest {

  /** The most distinct values that are counted exactly, and so the most of `fewest`. */
  final val MostCounted = DistinctHashes.MostCounted

  /** How values are hashed. */
  sealed trait Kind
  case object Ints extends Kind
  case object Longs extends Kind
  case object Bytes extends Kind

  /** What there is to say of a type without a [[kind]]. */
  final val WhyNone =
    "there are no filters for BOOLEAN, whose two values min/max tell, nor for " +
      "decimals in byte arrays of any length, of which one number has several"

  /**
   * 32 MiB, enough for 25 million distinct values in a row group at 1 %. A row group's data are 128
   * MiB as a rule, 16 million numbers of 8 bytes.
   */
  final val DefaultLargestBytes = 32 * 1024 * 1024

  /**
   * How values of a type are hashed; `None` for BOOLEAN, whose two values min/max tell, and which
   * writers hash in different ways or not at all, and for decimals in byte arrays of any length, of
   * which one number has several.
   */
  def kind(of: PrimitiveType): Option[Kind] = of.getPrimitiveTypeName match {
    case INT32 | FLOAT => Some(Ints)
    case INT64 | DOUBLE => Some(Longs)
    case BINARY if of.getLogicalTypeAnnotation.isInstanceOf[DecimalLogicalTypeAnnotation] => None
    case BINARY | FIXED_LEN_BYTE_ARRAY | INT96 => Some(Bytes)
    case BOOLEAN => None
  }

  /**
   * Whether values of a type are looked up one by one, as keys and names are; numbers with a point,
   * dates and times are asked for by ranges.
   */
  def isKey(of: PrimitiveType): Boolean = of.getLogicalTypeAnnotation match {
    case null =>
      Set(INT32, INT64, BINARY, FIXED_LEN_BYTE_ARRAY).contains(of.getPrimitiveTypeName)
    case _: IntLogicalTypeAnnotation | _: StringLogicalTypeAnnotation |
        _: EnumLogicalTypeAnnotation | _: UUIDLogicalTypeAnnotation =>
      true
    case _ => false
  }

  /**
   * The largest bitset for at most `ndv` distinct values in a row group.
   *
   * @throws IllegalArgumentException as [[FilterSizing]] does
   */
  def largestBytes(fpp: Double, ndv: Option[Long], maxBytes: Option[Int]): Int = {
    val most = maxBytes.getOrElse(DefaultLargestBytes)
    ndv.fold(most)(n => math.min(most, FilterSizing.bytesFor(n, fpp)))
  }
}
