package io.sbbf.spark.files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.model.{Interruption, RecoverableError}
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.pushdown.{PlannedScan, PushdownGuard, ReadPolicy}
import io.sbbf.spark.read.RowGroupRanges.Readers
import io.sbbf.spark.read.{BroadcastConfCache, RowGroupRanges}
import io.sbbf.spark.util.SbbfConf

/**
 * Runs the readers of Spark's own Parquet format, vectorized and row by row, on the byte ranges
 * of the surviving row groups. Two of these formats are equal if their `preserveSplits` is equal,
 * as all Parquet formats of Spark are.
 *
 * @param index the pruned files of the relation; null on executors
 * @param preserveSplits the value of the index
 * @param hasRuntimeFilters whether only tasks know some values of the filter: those of subqueries
 */
final class PrunedParquetFormat private[spark] (
    @transient private val index: PrunedFileIndex,
    private val preserveSplits: Boolean,
    hasRuntimeFilters: Boolean)
    extends ParquetFileFormat {

  private def selection: Option[ScanPruning] = Option(index).flatMap(_.selection)

  /** Returns this format for the files of another index. */
  private[spark] def of(other: PrunedFileIndex): PrunedParquetFormat =
    new PrunedParquetFormat(other, other.preserveSplits, hasRuntimeFilters)

  /** Returns the text that EXPLAIN shows as the format. */
  override def toString: String =
    selection.fold(super.toString)(s => s"${super.toString} (${s.summary}${index.lateText})")

  override def equals(other: Any): Boolean = other match {
    case that: PrunedParquetFormat => that.preserveSplits == preserveSplits
    case _ => false
  }
  override def hashCode: Int = getClass.hashCode

  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean =
    SplitRule.maySplit(index, preserveSplits, session, options, path) &&
      super.isSplitable(session, options, path)

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
        asDeclared = if (policy.differsByFile) reader(policy.asDeclared) else anyFile,
        unfiltered = if (policy.needsUnfilteredRead) reader(Nil) else anyFile)
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
      val scan = Option(index).fold(PlannedScan(None, guard(Nil), false, hasRuntimeFilters))(
        _.plannedScan(hasRuntimeFilters))
      guard(filters).decide(scan, isSafe = SbbfConf.SafeRead.get(conf))
    } catch { case RecoverableError(e) if !Interruption.is(e) => ReadPolicy.Nothing }
  }
}
