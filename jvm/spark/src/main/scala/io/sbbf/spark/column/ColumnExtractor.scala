package io.sbbf.spark.column

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  ElementAt,
  Expression,
  GetArrayItem,
  GetArrayStructFields,
  GetMapValue,
  GetStructField,
  Literal,
  MapEntries,
  MapKeys,
  MapValues
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field, Key, Value}
import io.sbbf.core.predicate.RowGroupPredicate.In
import io.sbbf.spark.util.FieldId

/**
 * Matches expressions that are a column of the files themselves or lie within one, and nothing else: no partition
 * column, no `_metadata`.
 *
 * @param byFieldId whether the session finds fields that have an id in its schema by that id
 */
private[spark] final class ColumnExtractor(
    partitionColumns: Set[String],
    caseSensitive: Boolean,
    byFieldId: Boolean) {
  import ColumnExtractor._

  private def fold(name: String): String =
    if (caseSensitive) name else name.toLowerCase(Locale.ROOT)
  private val fromDirectories = partitionColumns.map(fold)

  def unapply(expression: Expression): Option[Column] = expression match {
    case attribute: AttributeReference if isInFiles(attribute) =>
      step(attribute.name, attribute.metadata).map(s =>
        Column(ColumnPath(Seq(s)), attribute.dataType))
    case GetStructField(ItemOf(MapEntries(map)), ordinal, _) => entry(map, ordinal)
    case GetStructField(parent, ordinal, _) =>
      for {
        struct <- unapply(parent)
        field = struct.dataType.asInstanceOf[StructType](ordinal)
        s <- step(field.name, field.metadata)
      } yield struct / (s, field.dataType)
    case ItemOf(GetArrayStructFields(structs, _, ordinal, _, _)) =>
      unapply(GetStructField(itemOf(structs), ordinal))
    case ItemOf(MapKeys(map)) => entry(map, 0)
    case ItemOf(MapValues(map)) => entry(map, 1)
    case ItemOf(array) =>
      unapply(array).collect { case column @ Column(_, ArrayType(element, _), _) =>
        column / (Element, element)
      }
    case ValueAt(map, key) => lookUp(map, key)
    case _ => None
  }

  private def entry(map: Expression, ordinal: Int): Option[Column] =
    unapply(map).collect { case column @ Column(_, MapType(key, value, _), _) =>
      if (ordinal == 0) column / (Key, key) else column / (Value, value)
    }

  private def lookUp(map: Expression, key: Literal): Option[Column] =
    for (keys <- entry(map, 0); value <- entry(map, 1)) yield {
      val isThere =
        CatalystValue.convert(key.value, keys.dataType).map(k => keys.passes(In(Seq(k))))
      value.copy(keys = value.keys ++ isThere)
    }

  /** Not what directories tell, nor what Spark's readers count or know of a file. */
  private def isInFiles(attribute: AttributeReference): Boolean =
    !fromDirectories.contains(fold(attribute.name)) && !MetadataColumn.is(attribute) &&
      !attribute.name.equalsIgnoreCase(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME)

  /**
   * An id that Spark itself would refuse names no field. Nor do those into which Spark's PushVariantIntoScan takes a
   * VARIANT apart.
   */
  private def step(name: String, metadata: Metadata): Option[Field] =
    if (metadata.contains(VariantKey)) None
    else if (byFieldId && metadata.contains(FieldId.Key))
      Try(Math.toIntExact(metadata.getLong(FieldId.Key))).toOption.map(id =>
        Field(name, Some(id)))
    else Some(Field(name))
}

private[spark] object ColumnExtractor {

  /** `VariantMetadata.METADATA_KEY` of Spark 4. */
  private val VariantKey = "__VARIANT_METADATA_KEY"

  /** Any one item of an array, as an expression: which one, no evidence tells. */
  def itemOf(array: Expression): Expression =
    GetArrayItem(array, Literal(0), failOnError = false)

  /** Arrays of which an expression takes one item, or NULL; not where a short array is an error. */
  private object ItemOf {
    def unapply(expression: Expression): Option[Expression] = expression match {
      case GetArrayItem(array, _: Literal, false) => Some(array)
      case ElementAt(array, Literal(place: Int, IntegerType), None, false)
          if place != 0 && array.dataType.isInstanceOf[ArrayType] =>
        Some(array)
      case _ => None
    }
  }

  /** Maps of which an expression takes one value, or NULL. */
  private object ValueAt {
    def unapply(expression: Expression): Option[(Expression, Literal)] = expression match {
      case GetMapValue(map, key: Literal) => Some((map, key))
      case ElementAt(map, key: Literal, None, _) if map.dataType.isInstanceOf[MapType] =>
        Some((map, key))
      case _ => None
    }
  }
}
