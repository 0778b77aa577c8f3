package io.sbbf.spark.util

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/** The columns of rows that describe a `T`: their schema, and the value of each. */
private[spark] final class RowFields[T] private (columns: Vector[(StructField, T => Any)]) {
  def add(name: String, dataType: DataType, nullable: Boolean = false)(
      value: T => Any): RowFields[T] =
    new RowFields(columns :+ ((StructField(name, dataType, nullable), value)))

  lazy val schema: StructType = StructType(columns.map { case (field, _) => field })

  def row(of: T): Row = Row.fromSeq(columns.map { case (_, value) => value(of) })
}

private[spark] object RowFields {

  /** Returns no column, to which `add` adds some. */
  def of[T]: RowFields[T] = new RowFields(Vector.empty)

  /** Returns a row of a schema. Columns without a value, or with None, are null. */
  def row(schema: StructType, values: (String, Any)*): Row = {
    val named = values.collect {
      case (name, Some(value)) => name -> value
      case (name, value) if value != None => name -> value
    }.toMap
    require(named.keySet.subsetOf(schema.fieldNames.toSet), s"no columns: ${named.keys}")
    Row.fromSeq(schema.fieldNames.toSeq.map(named.getOrElse(_, null)))
  }
}
