package io.sbbf.spark

private[spark] object FieldId {

  /** The metadata key under which Spark keeps a Parquet field's id (ParquetUtils.FIELD_ID_METADATA_KEY). */
  final val Key = "parquet.field.id"
}
