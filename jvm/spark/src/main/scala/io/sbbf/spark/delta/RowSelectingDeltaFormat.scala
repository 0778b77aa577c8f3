package io.sbbf.spark.delta

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StructField, StructType}

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.pages.{FileRead, PageReads, SelectsRows}

/**
 * Reads a Delta table with Delta's own format, so that tasks choose rows by the filter of a scan. That
 * format marks deleted rows by their positions, so scans of files with deletion vectors read whole row
 * groups.
 *
 * @param inFiles returns the columns of the files for columns of the table
 */
private[delta] final class RowSelectingDeltaFormat(
    @transient delta: ParquetFileFormat,
    @transient filters: Seq[Expression],
    @transient index: PrunedFileIndex,
    @transient inFiles: StructType => StructType)
    extends ParquetFileFormat
    with SelectsRows {

  override protected def conjuncts(required: StructType): Seq[Expression] =
    if (required.exists(_.name.startsWith(RowSelectingDeltaFormat.Internal))) Nil else filters

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      pushed: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    PageReads.disableVectoredReads(hadoopConf, index.rootPaths)
    def reader(read: FileRead) = delta.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      read.required,
      read.pushed,
      read.options,
      read.conf)
    val scan =
      FileRead(requiredSchema, dataSchema, partitionSchema, pushed, options, hadoopConf)
    val all = reader(scan)
    def metrics = index.metrics(session.sparkContext).ofPages
    val pages = PageReads.of(session, this, scan, inFiles, metrics)(reader)
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
    case that: RowSelectingDeltaFormat => that.original == original
    case _ => false
  }
  override def hashCode: Int = original.hashCode
  private def original: ParquetFileFormat = delta
}

private object RowSelectingDeltaFormat {

  /** The names of columns that Delta computes begin so. */
  private final val Internal = "__delta_internal"
}
