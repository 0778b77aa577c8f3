package io.sbbf.spark.iceberg

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types._

import io.sbbf.spark.iceberg.Members.call
import io.sbbf.spark.util.FieldId

/** A column, or a field within one, of an Iceberg schema: `Types.NestedField`. */
private[iceberg] final class IcebergField(field: AnyRef) {

  val id: Int = call[Int](field, "fieldId")

  val name: String = call[String](field, "name")

  private val fieldType: AnyRef = call[AnyRef](field, "type")

  /** Returns its own id and those of all fields within it. */
  def ids: Set[Int] = Set(id) ++ IcebergField.within(fieldType).flatMap(_.ids)

  /** Whether files without the column read as another value than NULL. */
  def hasDefault: Boolean =
    Members.has(field, "initialDefault") && call[AnyRef](field, "initialDefault") != null

  /** Returns whether the files hold it: Iceberg makes up the values of reserved ids. */
  def isInFiles: Boolean = id <= IcebergField.GreatestId

  /** Returns this field as Spark would find it in a file by its id. */
  def withId(field: StructField): StructField =
    field.copy(
      dataType = IcebergField.withIds(field.dataType, fieldType),
      metadata = new MetadataBuilder()
        .withMetadata(field.metadata)
        .putLong(FieldId.Key, id.toLong)
        .build()
    )
}

private[iceberg] object IcebergField {

  /** The greatest id of a table's field (Iceberg Table Spec, "Reserved Field IDs"). */
  private final val GreatestId = Int.MaxValue - 200

  /** An id that no file has. */
  private final val UnknownId = -1L

  /** @param fields a list of `Types.NestedField` */
  def listOf(fields: AnyRef): Seq[IcebergField] =
    fields.asInstanceOf[JList[AnyRef]].asScala.map(new IcebergField(_)).toSeq

  /** Returns the fields of a struct, a list or a map; a list has its element as a field. */
  private def within(fieldType: AnyRef): Seq[IcebergField] =
    if (call[Boolean](fieldType, "isNestedType"))
      listOf(call[AnyRef](call[AnyRef](fieldType, "asNestedType"), "fields"))
    else Nil

  /** Returns a type of Spark with the ids of its fields. A field of another name gets no known one. */
  private def withIds(dataType: DataType, fieldType: AnyRef): DataType = {
    val fields = within(fieldType)
    dataType match {
      case StructType(ofSpark) =>
        StructType(ofSpark.map { f =>
          fields
            .find(_.name == f.name)
            .fold(f.copy(metadata = Unknown))(_.withId(f))
        })
      case ArrayType(element, containsNull) if fields.size == 1 =>
        ArrayType(withIds(element, fields.head.fieldType), containsNull)
      case MapType(key, value, containsNull) if fields.size == 2 =>
        MapType(
          withIds(key, fields(0).fieldType),
          withIds(value, fields(1).fieldType),
          containsNull)
      case other => other
    }
  }

  private val Unknown = new MetadataBuilder().putLong(FieldId.Key, UnknownId).build()
}
