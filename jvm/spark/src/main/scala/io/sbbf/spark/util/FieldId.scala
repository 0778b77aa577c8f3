package io.sbbf.spark.util

private[spark] object FieldId {

  /** The metadata key under which Spark keeps a Parquet field's id (ParquetUtils.FIELD_ID_METADATA_KEY). */
  final val Key = "parquet.field.id"
}
