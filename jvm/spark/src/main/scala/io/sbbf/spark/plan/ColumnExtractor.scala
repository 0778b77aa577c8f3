package io.sbbf.spark.plan

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, GetStructField}
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY
import org.apache.spark.sql.types.{DataType, Metadata, StructType}

import io.sbbf.spark.FieldId

/** A column, or a field within structs, by its path from the root of the table's schema. */
private[plan] final case class Column(path: Seq[String], dataType: DataType) {
  def name: String = path.mkString(".")
}

/**
 * Matches expressions that are a column of the files themselves, and nothing else: no partition column, no
 * `_metadata`, no column that the session resolves by field id rather than by name.
 */
private[plan] final class ColumnExtractor(
    partitionColumns: Set[String],
    caseSensitive: Boolean,
    byFieldId: Boolean) {

  private def fold(name: String): String =
    if (caseSensitive) name else name.toLowerCase(Locale.ROOT)
  private val fromDirectories = partitionColumns.map(fold)

  def unapply(expression: Expression): Option[Column] = expression match {
    case attribute: AttributeReference if isInFiles(attribute) =>
      Some(Column(Seq(attribute.name), attribute.dataType))
    case GetStructField(parent, ordinal, _) =>
      for {
        struct <- unapply(parent)
        field = struct.dataType.asInstanceOf[StructType](ordinal)
        if isByName(field.metadata)
      } yield Column(struct.path :+ field.name, field.dataType)
    case _ => None
  }

  private def isInFiles(attribute: AttributeReference): Boolean =
    !fromDirectories.contains(fold(attribute.name)) &&
      !MetadataColumn.is(attribute) && isByName(attribute.metadata)

  private def isByName(metadata: Metadata): Boolean =
    !(byFieldId && metadata.contains(FieldId.Key))
}

private[plan] object MetadataColumn {

  /** Whether an attribute is `_metadata` or a part of it, and not a column of the files. */
  def is(attribute: AttributeReference): Boolean =
    attribute.metadata.contains(METADATA_COL_ATTR_KEY)
}
