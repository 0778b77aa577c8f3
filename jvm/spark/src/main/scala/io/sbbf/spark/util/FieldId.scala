package io.sbbf.spark.util

import org.apache.spark.sql.types.StructField

private[spark] object FieldId {

  /** The metadata key under which Spark keeps a Parquet field's id (ParquetUtils.FIELD_ID_METADATA_KEY). */
  final val Key = "parquet.field.id"

  /** Returns the id of a field of a schema, if it has one. */
  def of(field: StructField): Option[Int] =
    if (field.metadata.contains(Key)) Some(Math.toIntExact(field.metadata.getLong(Key)))
    else None
}
