package io.sbbf.spark.write

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.OutputWriter

import io.sbbf.parquet.write.FilteredFile

private final class ExactWriter(
    override val path: String,
    filters: ExactFilters,
    context: TaskAttemptContext)
    extends OutputWriter
    with Logging {
  private val file = new FilteredFile(e =>
    logWarning(
      s"${new Path(path).getName} is written without bloom filters: ${e.getClass.getName}"))

  private val writer = {
    val support =
      new ExactSupport(
        ExactWriter.support(context.getConfiguration),
        file,
        filters.requests(_, TaskContext.get().numPartitions()))
    val format = new ParquetOutputFormat[InternalRow](support) {
      override def getDefaultWorkFile(context: TaskAttemptContext, extension: String): Path =
        file.at(new Path(path))
    }
    format.getRecordWriter(context)
  }

  override def write(row: InternalRow): Unit = writer.write(null, row)

  override def close(): Unit = writer.close(context)
}

private object ExactWriter {

  /** Returns a new instance of the write support that Spark configured. */
  def support(conf: Configuration): WriteSupport[InternalRow] =
    ParquetOutputFormat
      .getWriteSupportClass(conf)
      .getDeclaredConstructor()
      .newInstance()
      .asInstanceOf[WriteSupport[InternalRow]]
}
