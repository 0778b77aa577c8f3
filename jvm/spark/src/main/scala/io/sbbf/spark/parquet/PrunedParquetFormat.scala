package io.sbbf.spark.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.files.{PrunedFileIndex, PrunedFormat}
import io.sbbf.spark.pages.{FileRead, PageReads, SelectsRows}
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
 * @param dataFilters the conjuncts by which tasks choose rows; none if they read whole row groups
 */
final class PrunedParquetFormat private[spark] (
    @transient override protected val index: PrunedFileIndex,
    override protected val preserveSplits: Boolean,
    hasRuntimeFilters: Boolean,
    @transient dataFilters: Seq[Expression] = Nil)
    extends ParquetFileFormat
    with PrunedFormat
    with SelectsRows {

  /** Returns this format for the files of another index. */
  private[spark] def of(other: PrunedFileIndex): PrunedParquetFormat =
    new PrunedParquetFormat(other, other.preserveSplits, hasRuntimeFilters)

  /** Returns this format for a scan with these filters, which tasks evaluate before they read more. */
  private[spark] def selecting(filters: Seq[Expression]): PrunedParquetFormat =
    new PrunedParquetFormat(index, preserveSplits, hasRuntimeFilters, filters)

  private val selects = dataFilters.nonEmpty

  /**
   * Spark drops a replacement that equals the scan, so a format with filters differs from one without.
   * Which filters it has, the scan shows.
   */
  override def equals(other: Any): Boolean = other match {
    case that: PrunedParquetFormat => super.equals(that) && that.selects == selects
    case _ => false
  }
  override def hashCode: Int = super.hashCode

  override protected def conjuncts(required: StructType): Seq[Expression] = dataFilters

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    val read = StructType(requiredSchema ++ partitionSchema)
    val policy = readPolicy(filters, session, dataSchema, read)
    if (policy.disablesBloom)
      hadoopConf.setBoolean(ParquetInputFormat.BLOOM_FILTERING_ENABLED, false)
    if (policy.disablesColumnIndex)
      hadoopConf.setBoolean(ParquetInputFormat.COLUMN_INDEX_FILTERING_ENABLED, false)
    if (selects) PageReads.disableVectoredReads(hadoopConf, index.rootPaths)
    def readerOf(read: FileRead) = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      read.required,
      read.pushed,
      read.options,
      read.conf)
    val scan =
      FileRead(requiredSchema, dataSchema, partitionSchema, policy.anyFile, options, hadoopConf)
    def reader(pushed: Seq[Filter]) = readerOf(scan.copy(pushed = pushed))
    val anyFile = readerOf(scan)
    val trims = preserveSplits || selection.exists(_.trimsFiles)
    def metrics = index.metrics(session.sparkContext).ofPages
    val pages = PageReads.of(session, this, scan, identity, metrics)(readerOf)
    if (pages.isEmpty && !trims && !policy.differsByFile && !policy.needsUnfilteredRead) anyFile
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
      split => RowGroupRanges.read(split, readers, conf.value.value, pages)
    }
  }

  private def readPolicy(
      filters: Seq[Filter],
      session: SparkSession,
      dataSchema: StructType,
      read: StructType): ReadPolicy = {
    val conf = session.sessionState.conf
    def guard(pushed: Seq[Filter]) = PushdownGuard(
      pushed,
      dataSchema,
      SparkInternals.readsByFieldId(conf),
      conf.caseSensitiveAnalysis,
      readsRows = !ParquetUtils.isBatchReadSupportedForSchema(conf, read))
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
