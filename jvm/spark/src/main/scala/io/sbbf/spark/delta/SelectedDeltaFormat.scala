package io.sbbf.spark.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StructField, StructType}

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.pages.{PageReads, ScanSchema}

/**
 * Reads a Delta table with Delta's own format. Where that returns Spark's reader as it is, tasks
 * choose rows by the filter of a scan. It adds to Spark's rows which of them are deleted, in scans
 * of files with deletion vectors.
 *
 * @param inFiles returns the columns of the files for columns of the table
 */
private[delta] final class SelectedDeltaFormat(
    @transient delta: ParquetFileFormat,
    @transient filters: Seq[Expression],
    @transient index: PrunedFileIndex,
    @transient inFiles: StructType => StructType)
    extends ParquetFileFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      pushed: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    def reader(
        columns: StructType,
        pushed: Seq[Filter],
        options: Map[String, String],
        hadoopConf: Configuration) =
      delta.buildReaderWithPartitionValues(
        session,
        dataSchema,
        partitionSchema,
        columns,
        pushed,
        options,
        hadoopConf)
    val all = reader(requiredSchema, pushed, options, hadoopConf)
    val scan = ScanSchema(requiredSchema, dataSchema, partitionSchema)
    val metrics = index.metrics(session.sparkContext).ofPages
    val byRow = options + (FileFormat.OPTION_RETURNING_BATCH -> "false")
    val pages =
      if (requiredSchema.exists(_.name.startsWith(SelectedDeltaFormat.Internal))) None
      else
        PageReads.of(session, filters, scan, inFiles, metrics) { filter =>
          reader(filter.schema, filter.pushed(pushed), byRow, new Configuration(hadoopConf))
        }
    // files of Delta tables are never replaced
    pages.fold(all)(pages => part => pages.read(part, all, () => true))
  }

  override def supportBatch(session: SparkSession, schema: StructType): Boolean =
    delta.supportBatch(session, schema)

  override def vectorTypes(
      required: StructType,
      partitions: StructType,
      conf: SQLConf): Option[Seq[String]] = delta.vectorTypes(required, partitions, conf)

  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean = delta.isSplitable(session, options, path)

  override def metadataSchemaFields: Seq[StructField] = delta.metadataSchemaFields

  override def fileConstantMetadataExtractors: Map[String, PartitionedFile => Any] =
    delta.fileConstantMetadataExtractors

  /** Scans with other filters differ by those filters. */
  override def equals(other: Any): Boolean = other match {
    case that: SelectedDeltaFormat => that.original == original
    case _ => false
  }
  override def hashCode: Int = original.hashCode
  private def original: ParquetFileFormat = delta
}

private object SelectedDeltaFormat {

  /** The names of columns that Delta computes begin so. */
  private final val Internal = "__delta_internal"
}
