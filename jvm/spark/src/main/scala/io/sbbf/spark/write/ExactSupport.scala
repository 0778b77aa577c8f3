package io.sbbf.spark.write

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.{FinalizedWriteContext, WriteContext}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow

import io.sbbf.parquet.write.{FilterRequest, FilteredFile}

/** Runs Spark's own write support, and passes the values that it writes to the bloom filters. */
private final class ExactSupport(
    sparkSupport: WriteSupport[InternalRow],
    file: FilteredFile,
    requests: MessageType => Seq[FilterRequest])
    extends WriteSupport[InternalRow] {
  override def init(conf: Configuration): WriteContext = {
    val context = sparkSupport.init(conf)
    file.start(context.getSchema, requests(context.getSchema))
    context
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit =
    sparkSupport.prepareForWrite(file.rowGroup(consumer))

  override def write(row: InternalRow): Unit = {
    file.row()
    sparkSupport.write(row)
  }

  override def finalizeWrite(): FinalizedWriteContext = {
    file.endOfRows()
    sparkSupport.finalizeWrite()
  }

  override def getName: String = sparkSupport.getName
}
