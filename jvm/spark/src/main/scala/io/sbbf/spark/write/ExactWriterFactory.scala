package io.sbbf.spark.write

import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

private final class ExactWriterFactory(sparkFactory: OutputWriterFactory, filters: ExactFilters)
    extends OutputWriterFactory {
  override def getFileExtension(context: TaskAttemptContext): String =
    sparkFactory.getFileExtension(context)

  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext): OutputWriter = new ExactWriter(path, filters, context)
}
