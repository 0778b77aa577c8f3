package io.sbbf.spark.write

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{Job, TaskAttemptContext}
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.{FinalizedWriteContext, WriteContext}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType
import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.write.{FilterRequest, FilteredFile}

/**
 * Spark's own Parquet format, whose files get bloom filters as small as the distinct values of each
 * row group allow, where the job's settings ask for some ([[FilterOptions]]). All else is written
 * by Spark and parquet-mr as without.
 *
 * @param tableSize asked for where an FPP is by the row groups of the table
 */
private[spark] final class ExactParquetFormat(tableSize: () => TableSize)
    extends ParquetFileFormat
    with Logging {
  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory = {
    val stock = super.prepareWrite(session, job, options, dataSchema)
    val conf = job.getConfiguration
    FilterOptions.add(options, conf) // of a stream they are not there yet
    val schema = ExactWriter.support(conf).init(conf).getSchema
    val wanted = FilterOptions.of(conf).spelledAs(schema)
    wanted.unknown(schema).foreach { column =>
      logWarning(
        s"No bloom filter is written of '$column', which the files do not have. Nested columns are " +
          "named by their Parquet path, as in 'tags.list.element'.")
    }
    val filters = ExactFilters(wanted, if (wanted.needsTableSize) Some(tableSize()) else None)
    // for VARIANT columns the stock writer finds out a schema of its own from the first rows
    if (SparkInternals.hasVariant(dataSchema)) stock
    else {
      // also where there are none of ours: of BOOLEAN stock writes filters without a bit
      FilterOptions.remove(conf)
      if (filters.requests(schema, 1).isEmpty) stock else new ExactWriterFactory(stock, filters)
    }
  }
}

/** @param size of the table, if the options need it */
private final case class ExactFilters(options: FilterOptions, size: Option[TableSize]) {

  /** Of a file that one of so many tasks writes. Throws as [[FilterOptions.requests]] does. */
  def requests(schema: MessageType, tasks: Int): Seq[FilterRequest] =
    options.requests(schema, size.get.rowGroups(tasks))
}

private final class ExactWriterFactory(stock: OutputWriterFactory, filters: ExactFilters)
    extends OutputWriterFactory {
  override def getFileExtension(context: TaskAttemptContext): String =
    stock.getFileExtension(context)

  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext): OutputWriter = new ExactWriter(path, filters, context)
}

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

  /** What Spark wants its rows to be written by. */
  def support(conf: Configuration): WriteSupport[InternalRow] =
    ParquetOutputFormat
      .getWriteSupportClass(conf)
      .getDeclaredConstructor()
      .newInstance()
      .asInstanceOf[WriteSupport[InternalRow]]
}

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
