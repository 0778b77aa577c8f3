package io.sbbf.spark.pages

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnVector

/** A number of a filter, which is one more column of the batches on which the filter is evaluated. */
private[pages] final case class Constant(value: Any, dataType: DataType) {
  @transient lazy val vector: ColumnVector = {
    val vector = new ConstantColumnVector(1, dataType)
    ColumnVectorUtils.populate(vector, InternalRow(value), 0)
    vector
  }
}
