package io.sbbf.spark.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.StructType

/** Scans rows that the driver computes once, while the query is planned. */
private[catalog] final class LocalRows(schema: StructType, find: => Seq[Row]) extends LocalScan {
  private lazy val found = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema)
    find.map(convert(_).asInstanceOf[InternalRow]).toArray
  }

  override def readSchema: StructType = schema
  override def rows: Array[InternalRow] = found
}
