package io.sbbf.spark.pages

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A format whose tasks choose rows by the filter of a scan. */
private[spark] trait SelectsRows {

  /** Returns the conjuncts by which tasks choose rows; none if they read whole row groups. */
  protected def conjuncts(required: StructType): Seq[Expression]

  /**
   * Returns the filter by which tasks choose rows. Returns None where choosing cannot pay, and where
   * Spark reads the files row by row.
   *
   * @param required the columns that the scan reads from files
   * @param data all columns of the files
   * @param partitions those whose values come from folders
   */
  final def rowFilter(
      required: StructType,
      data: StructType,
      partitions: StructType,
      conf: SQLConf): Option[RowFilter] = {
    def isVectorized(columns: StructType) =
      ParquetUtils.isBatchReadSupportedForSchema(conf, StructType(columns ++ partitions))
    RowFilter
      .of(conjuncts(required), required, data, partitions)
      .filter(filter => isVectorized(required) && isVectorized(filter.schema))
  }
}
