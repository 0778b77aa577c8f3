package io.sbbf.spark.write

import org.apache.hadoop.mapreduce.Job
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

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
