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
 * Matches expressions that are a column of the files or lie within one. Matches no partition
 * column and no `_metadata`.
 *
 * @param byFieldId whether the session resolves fields with an id in its schema by that id
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

  /**
   * Returns whether the files store a column. Excludes partition columns, `_metadata` and the row
   * index that Spark's readers count.
   */
  private def isInFiles(attribute: AttributeReference): Boolean =
    !fromDirectories.contains(fold(attribute.name)) && !MetadataColumn.is(attribute) &&
      !attribute.name.equalsIgnoreCase(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME)

  /**
   * Returns the field that a name and its metadata identify. An id that Spark would reject
   * identifies no field. The fields into which Spark's PushVariantIntoScan splits a VARIANT are
   * unsupported.
   */
  private def step(name: String, metadata: Metadata): Option[Field] =
    if (metadata.contains(VariantKey)) None
    else if (byFieldId && metadata.contains(FieldId.Key))
      Try(Math.toIntExact(metadata.getLong(FieldId.Key))).toOption.map(id =>
        Field(name, Some(id)))
    else Some(Field(name))
}

private[spark] object ColumnExtractor {

  /** The value of `VariantMetadata.METADATA_KEY` in Spark 4. */
  private val VariantKey = "__VARIANT_METADATA_KEY"

  /** Returns an expression for any one item of an array: evidence does not distinguish items. */
  def itemOf(array: Expression): Expression =
    GetArrayItem(array, Literal(0), failOnError = false)

  /**
   * Matches expressions that return one item of an array or NULL, and extracts the array. Does
   * not match expressions that raise an error for a short array.
   */
  private object ItemOf {
    def unapply(expression: Expression): Option[Expression] = expression match {
      case GetArrayItem(array, _: Literal, false) => Some(array)
      case ElementAt(array, Literal(place: Int, IntegerType), None, false)
          if place != 0 && array.dataType.isInstanceOf[ArrayType] =>
        Some(array)
      case _ => None
    }
  }

  /** Matches expressions that return one value of a map or NULL: extracts the map and key. */
  private object ValueAt {
    def unapply(expression: Expression): Option[(Expression, Literal)] = expression match {
      case GetMapValue(map, key: Literal) => Some((map, key))
      case ElementAt(map, key: Literal, None, _) if map.dataType.isInstanceOf[MapType] =>
        Some((map, key))
      case _ => None
    }
  }
}
