package io.sbbf.spark.write

import org.apache.hadoop.mapreduce.Job
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

/**
 * Writes Parquet files with Spark's own format, and adds bloom filters where the job's settings
 * request them ([[FilterOptions]]). Each filter is as small as the distinct values of its row
 * group allow. Spark and parquet-mr write everything else unchanged.
 *
 * @param tableSize the size of the table, computed only if an FPP depends on its row groups
 */
private[spark] final class ExactParquetFormat(tableSize: () => TableSize)
    extends ParquetFileFormat
    with Logging {
  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory = {
    val sparkFactory = super.prepareWrite(session, job, options, dataSchema)
    val conf = job.getConfiguration
    FilterOptions.add(options, conf) // those of a stream are not there yet
    val schema = ExactWriter.support(conf).init(conf).getSchema
    val wanted = FilterOptions.of(conf).spelledAs(schema)
    wanted.unknown(schema).foreach { column =>
      logWarning(
        s"No bloom filter is written for '$column', because the files have no such column. " +
          "Name nested columns by their Parquet path, as in 'tags.list.element'.")
    }
    val filters = ExactFilters(wanted, if (wanted.needsTableSize) Some(tableSize()) else None)
    // for VARIANT columns Spark's writer infers its own schema from the first rows
    if (SparkInternals.hasVariant(dataSchema)) sparkFactory
    else {
      // even without filters of ours: parquet-mr writes BOOLEAN filters without any bit set
      FilterOptions.remove(conf)
      if (filters.requests(schema, 1).isEmpty) sparkFactory
      else new ExactWriterFactory(sparkFactory, filters)
    }
  }
}
