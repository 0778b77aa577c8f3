package io.sbbf.spark.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.files.{PrunedFileIndex, PrunedFormat}
import io.sbbf.spark.pushdown.{PlannedScan, PushdownGuard, ReadPolicy}
import io.sbbf.spark.read.RowGroupRanges.Readers
import io.sbbf.spark.read.{BroadcastConfCache, RowGroupRanges}
import io.sbbf.spark.util.SbbfConf

/**
 * Runs the readers of Spark's own Parquet format, vectorized and row by row, on the byte ranges
 * of the surviving row groups.
 *
 * @param index the pruned files of the relation; null on executors
 * @param preserveSplits the value of the index
 * @param hasRuntimeFilters whether only tasks know some values of the filter: those of subqueries
 */
final class PrunedParquetFormat private[spark] (
    @transient override protected val index: PrunedFileIndex,
    override protected val preserveSplits: Boolean,
    hasRuntimeFilters: Boolean)
    extends ParquetFileFormat
    with PrunedFormat {

  /** Returns this format for the files of another index. */
  private[spark] def of(other: PrunedFileIndex): PrunedParquetFormat =
    new PrunedParquetFormat(other, other.preserveSplits, hasRuntimeFilters)

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    val policy = readPolicy(filters, session, dataSchema)
    if (policy.disablesBloom)
      hadoopConf.setBoolean(ParquetInputFormat.BLOOM_FILTERING_ENABLED, false)
    def reader(pushed: Seq[Filter]) = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      requiredSchema,
      pushed,
      options,
      hadoopConf)
    val anyFile = reader(policy.anyFile)
    val trims = preserveSplits || selection.exists(_.trimsFiles)
    if (!trims && !policy.differsByFile && !policy.needsUnfilteredRead) anyFile
    else {
      val readers = new Readers(
        anyFile,
        asDeclared =
          if (policy.asDeclared == policy.anyFile) anyFile else reader(policy.asDeclared),
        safeColumns =
          if (policy.safeColumns == policy.anyFile) anyFile else reader(policy.safeColumns),
        unfiltered = if (policy.needsUnfilteredRead) reader(Nil) else anyFile
      )
      val conf = BroadcastConfCache.of(session.sparkContext, hadoopConf)
      split => RowGroupRanges.read(split, readers, conf.value.value)
    }
  }

  private def readPolicy(
      filters: Seq[Filter],
      session: SparkSession,
      dataSchema: StructType): ReadPolicy = {
    val conf = session.sessionState.conf
    def guard(pushed: Seq[Filter]) = PushdownGuard(
      pushed,
      dataSchema,
      SparkInternals.readsByFieldId(conf),
      conf.caseSensitiveAnalysis)
    try {
      val scan = Option(index).fold(
        PlannedScan(
          None,
          guard(Nil),
          isTrimmed = true,
          mayListOthers = false,
          hasRuntimeFilters))(_.plannedScan(hasRuntimeFilters, isTrimmed = true))
      guard(filters).decide(scan, isSafe = SbbfConf.SafeRead.get(conf))
    } catch { case RecoverableError(_) => ReadPolicy.Nothing }
  }
}
