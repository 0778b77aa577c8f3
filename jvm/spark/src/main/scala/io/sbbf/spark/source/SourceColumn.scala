package io.sbbf.spark.source

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.hashes.KeyCollector
import io.sbbf.parquet.values.KeyType

/** A column of files whose values Spark's own readers supply. */
private[spark] final case class SourceColumn(name: String, dataType: DataType, keyType: KeyType) {

  def collector(function: Option[KeyFunction]): KeyCollector = new KeyCollector(keyType, function)

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
    keyType(field.dataType).map(SourceColumn(field.name, field.dataType, _))

  private def keyType(dataType: DataType): Option[KeyType] = dataType match {
    case ByteType => Some(KeyType.Integer(8))
    case ShortType => Some(KeyType.Integer(16))
    case IntegerType => Some(KeyType.Integer(32))
    case LongType => Some(KeyType.Integer(64))
    case DateType => Some(KeyType.Date)
    case TimestampType => Some(KeyType.Timestamp(isInstant = true))
    case TimestampNTZType => Some(KeyType.Timestamp(isInstant = false))
    case BinaryType => Some(KeyType.Binary)
    case decimal: DecimalType if decimal.scale >= 0 && decimal.scale <= decimal.precision =>
      Some(KeyType.Decimal(decimal.precision, decimal.scale))
    // types of other collations, CHAR and VARCHAR do not equal it
    case StringType => Some(KeyType.Text)
    case _ => None
  }
}
