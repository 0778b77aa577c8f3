package io.sbbf.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.Interruption
import io.sbbf.spark.SbbfConf
import io.sbbf.spark.plan.{PrunedFileIndex, ScanSelection, Trouble}
import io.sbbf.spark.read.RowGroupRanges.Readers

/**
 * Spark's own Parquet format, which only narrows what is read: its readers, vectorized and row by row, are run
 * on the byte ranges of the surviving row groups. All of these formats that keep splits are equal, and all others, as
 * all of Spark's are.
 *
 * @param index the pruned files of the relation; null on executors
 * @param keepsSplits as that of the index
 * @param asksLater whether values of the filter are known to the tasks only, those of subqueries
 */
final class PrunedParquetFormat private[spark] (
    @transient private val index: PrunedFileIndex,
    private val keepsSplits: Boolean,
    asksLater: Boolean)
    extends ParquetFileFormat {

  private def selection: Option[ScanSelection] = Option(index).flatMap(_.selection)

  /** What EXPLAIN shows as the format. */
  override def toString: String =
    selection.fold(super.toString)(s => s"${super.toString} (${s.summary})")

  override def equals(other: Any): Boolean = other match {
    case that: PrunedParquetFormat => that.keepsSplits == keepsSplits
    case _ => false
  }
  override def hashCode: Int = getClass.hashCode

  /**
   * A file of which little survives is one task, not one for each stretch of it; but where damage ends a task without an
   * error, no more than without pruning ends with it.
   */
  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean =
    (keepsSplits || new FileSourceOptions(options).ignoreCorruptFiles ||
      !selection.exists(_.isOneTask(path, session.sessionState.conf.filesMaxPartitionBytes))) &&
      super.isSplitable(session, options, path)

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    val safely = SbbfConf.SafeRead.get(session.sessionState.conf)
    val mayReadOthers = Option(index).exists(_.mayListOthers) // than were looked at
    if (mayReadOthers || selection.exists(
        _.settlesFilters(asksLater)) || safely && PushdownGuard.misreadsFilters)
      hadoopConf.setBoolean(ParquetInputFormat.BLOOM_FILTERING_ENABLED, false)
    val (forAnyFile, forDeclared) =
      if (safely) safe(filters, session, dataSchema) else (filters, filters)
    def reader(checked: Seq[Filter]) = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      requiredSchema,
      checked,
      options,
      hadoopConf)
    val anyFile = reader(forAnyFile)
    val isSame = forDeclared == forAnyFile
    val asDeclared = if (isSame) anyFile else reader(forDeclared)
    // the scan lists its files again, and may find what planning did not look for
    val mayFindMore = mayReadOthers || asksLater || selection.forall(_.stoppedEarly) ||
      !Option(index).exists(_.guard.isOf(filters))
    val unchecked =
      if (safely && (mayFindMore || selection.exists(_.hasUncheckedFiles))) reader(Nil)
      else anyFile
    val trims = keepsSplits || selection.exists(_.trimsFiles)
    if (!trims && isSame && (unchecked eq anyFile)) anyFile
    else {
      val readers = new Readers(anyFile, asDeclared, unchecked)
      val conf = SharedConf.of(session.sparkContext, hadoopConf)
      split => RowGroupRanges.read(split, readers, conf.value.value)
    }
  }

  /** What parquet-mr may check of `filters` in any file, and in files that store the columns as declared. */
  private def safe(
      filters: Seq[Filter],
      session: SparkSession,
      dataSchema: StructType): (Seq[Filter], Seq[Filter]) =
    try {
      val conf = session.sessionState.conf
      val byFieldId = SparkInternals.readsByFieldId(conf)
      val guard = PushdownGuard(filters, dataSchema, byFieldId, conf.caseSensitiveAnalysis)
      val forAnyFile = guard.allowed(filters, PushdownLevel.AnyFile)
      // a filter pushed after planning may need columns whose storage planning did not check
      val isChecked = Option(index).exists(i => guard.isCoveredBy(i.guard))
      val forDeclared =
        if (isChecked) guard.allowed(filters, PushdownLevel.AsDeclared) else forAnyFile
      (forAnyFile, forDeclared)
    } catch { case Trouble(e) if !Interruption.is(e) => (Nil, Nil) }
}
