package io.sbbf.spark.source

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.hashes.KeyCollector
import io.sbbf.parquet.model.Physical.{Bytes, Int32, Int64}
import io.sbbf.parquet.model.{ColumnType, Logical}

/**
 * A column of files whose values Spark's own readers supply.
 *
 * @param columnType the type in which Spark would write the values to Parquet
 */
private[spark] final case class SourceColumn(
    name: String,
    dataType: DataType,
    columnType: ColumnType) {

  def collector(function: Option[KeyFunction]): KeyCollector =
    new KeyCollector(columnType, function)

  /** Adds the value at a place in a row, if it is not NULL. */
  def add(row: InternalRow, place: Int, to: KeyCollector): Unit =
    if (!row.isNullAt(place)) dataType match {
      case ByteType => to.add(row.getByte(place).toInt)
      case ShortType => to.add(row.getShort(place).toInt)
      case IntegerType | DateType => to.add(row.getInt(place))
      case LongType | TimestampType | TimestampNTZType => to.add(row.getLong(place))
      case BinaryType => to.add(row.getBinary(place))
      case decimal: DecimalType =>
        val value = row.getDecimal(place, decimal.precision, decimal.scale).toJavaBigDecimal
        to.add(value.setScale(decimal.scale).unscaledValue)
      case _ => to.add(row.getUTF8String(place).getBytes)
    }
}

private[spark] object SourceColumn {

  /** The types of columns that can be indexed, for errors. */
  final val Supported =
    "STRING with the binary collation, BINARY, TINYINT, SMALLINT, INT, BIGINT, DECIMAL, DATE, " +
      "TIMESTAMP and TIMESTAMP_NTZ"

  /** Returns the column; None if its type cannot be indexed. */
  def of(field: StructField): Option[SourceColumn] =
    columnType(field.dataType).map(SourceColumn(field.name, field.dataType, _))

  private def columnType(dataType: DataType): Option[ColumnType] = dataType match {
    case ByteType => Some(ColumnType(Int32, Logical.Integer(8, signed = true)))
    case ShortType => Some(ColumnType(Int32, Logical.Integer(16, signed = true)))
    case IntegerType => Some(ColumnType(Int32, Logical.Plain))
    case LongType => Some(ColumnType(Int64, Logical.Plain))
    case DateType => Some(ColumnType(Int32, Logical.Date(mayRebase = false)))
    case TimestampType => Some(microseconds(utc = true))
    case TimestampNTZType => Some(microseconds(utc = false))
    case BinaryType => Some(ColumnType(Bytes, Logical.Plain))
    case decimal: DecimalType if decimal.scale >= 0 && decimal.scale <= decimal.precision =>
      Some(ColumnType.decimal(decimal.precision, decimal.scale))
    // types of other collations, CHAR and VARCHAR do not equal it
    case StringType => Some(ColumnType(Bytes, Logical.Text))
    case _ => None
  }

  private def microseconds(utc: Boolean): ColumnType =
    ColumnType(Int64, Logical.Timestamp(perMilli = 1000, utc, mayRebase = false))
}
