package io.sbbf.spark.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.{FinalizedWriteContext, WriteContext}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow

import io.sbbf.parquet.write.{FilterRequest, FilteredFile}

/** Lets the filters hear what Spark's own support writes. */
private final class ExactSupport(
    stock: WriteSupport[InternalRow],
    file: FilteredFile,
    requests: MessageType => Seq[FilterRequest])
    extends WriteSupport[InternalRow] {
  override def init(conf: Configuration): WriteContext = {
    val context = stock.init(conf)
    file.start(context.getSchema, requests(context.getSchema))
    context
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit =
    stock.prepareForWrite(file.rowGroup(consumer))

  override def write(row: InternalRow): Unit = {
    file.row()
    stock.write(row)
  }

  override def finalizeWrite(): FinalizedWriteContext = {
    file.endOfRows()
    stock.finalizeWrite()
  }

  override def getName: String = stock.getName
}
