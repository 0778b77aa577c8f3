package io.sbbf.index.format

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/**
 * The schema of a file of keys: one row for each key, with the row groups that hold a value of that
 * key. The pages of both columns hold the same rows.
 */
private[format] object KeySchema {
  val Message: MessageType = MessageTypeParser.parseMessageType("""
    message keys {
      required int64 key;
      repeated int32 row_group;
    }""")

  val Key: ColumnDescriptor = Message.getColumns.get(0)
  val RowGroup: ColumnDescriptor = Message.getColumns.get(1)
}
