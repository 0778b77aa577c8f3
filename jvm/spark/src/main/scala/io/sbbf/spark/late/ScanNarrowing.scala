package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  FileSourceConstantMetadataAttribute,
  InputFileBlockLength,
  InputFileBlockStart,
  PlanExpression
}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.scan.{
  LateKeys,
  PrunedFileIndex,
  PrunedParquetFormat,
  PrunedRelation,
  ScanColumns
}
import io.sbbf.spark.util.KernelChoice

/**
 * Replaces the files of the scans of one stage by those that might hold a key.
 *
 * @param stage the plan of the stage
 */
private[late] final class ScanNarrowing(stage: SparkPlan, conf: SQLConf) {

  private lazy val readsBlocks: Boolean = stage.exists(_.expressions.exists(_.exists {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case _ => false
  }))

  /**
   * Returns the scan of what might hold a key, or the scan itself if the keys refute nothing. Stores
   * at the scan why keys did not prune it.
   *
   * @param found returns the keys
   */
  def narrowed(scan: FileSourceScanExec, found: () => FoundKeys): SparkPlan =
    // Spark 4.1 optimizes the last stage again while it runs
    if (!isSparkParquet(scan) || LateReasons.areKnown(scan)) scan
    else {
      KernelChoice.start()
      val FoundKeys(keys, reasons) = found()
      val (usable, others) = keys.partition(canPrune(scan, _))
      val narrower = if (usable.isEmpty) None else narrowedIndex(scan, usable)
      val useless =
        if (narrower.isEmpty) usable.map(k => s"${k.description}: no benefit") else Nil
      LateReasons.set(scan, reasons ++ others.flatMap(whyNot(scan, _)) ++ useless)
      narrower.fold[SparkPlan](scan)(index => copied(scan, relation(scan, index)))
    }

  /** Returns an index of what might hold the keys; None if that is all that was planned before. */
  private def narrowedIndex(
      scan: FileSourceScanExec,
      keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    val (index, before) = scan.relation.location match {
      case known: PrunedFileIndex => (known.narrowedBy(keys), known.selection.map(_.keptBytes))
      case _ => (newIndex(scan).narrowedBy(keys), None)
    }
    index.listFiles(
      scan.partitionFilters.filterNot(isRuntimeFilter),
      scan.dataFilters.filterNot(isRuntimeFilter))
    Some(index).filter(_.selection.exists(s => s.keptBytes < before.getOrElse(s.filesBytes)))
  }

  /** Returns whether the scan is a batch scan in Spark's Parquet format, or in ours. */
  private def isSparkParquet(scan: FileSourceScanExec): Boolean = {
    val format = scan.relation.fileFormat.getClass
    (format == classOf[ParquetFileFormat] || format == classOf[PrunedParquetFormat]) &&
    !scan.productIterator.exists { // since Spark 4.0 a scan knows its stream
      case Some(_: SparkDataStream) => true
      case _ => false
    } && !SparkInternals.runsInOneTask(scan)
  }

  /** Returns why keys cannot prune: functions and columns of the join's or filter's expressions. */
  private def whyNot(scan: FileSourceScanExec, keys: LateKeys): Seq[String] =
    new ScanColumns(scan.relation)
      .unused(Seq(keys.filter), scan.output)
      .map(reason => s"${keys.description}: $reason")

  private def canPrune(scan: FileSourceScanExec, keys: LateKeys): Boolean =
    new ScanColumns(scan.relation).predicate(Seq(keys.filter), scan.output).canPrune

  private def isRuntimeFilter(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[PlanExpression[_]])

  private def hasRuntimeFilters(scan: FileSourceScanExec): Boolean =
    scan.dataFilters.exists(isRuntimeFilter)

  /** Returns an index for a scan that was planned without pruning. */
  private def newIndex(scan: FileSourceScanExec): PrunedFileIndex = {
    val files = scan.relation
    val settings = files.sparkSession.sessionState.conf
    val guard = PushdownGuard(
      SparkInternals.pushedFilters(scan.dataFilters.filterNot(isRuntimeFilter)),
      files.dataSchema,
      new ScanColumns(files).areFoundById,
      settings.caseSensitiveAnalysis,
      mayPushMore = hasRuntimeFilters(scan)
    )
    new PrunedRelation(files, conf).index(guard, observesSplits(scan))
  }

  /** Returns whether the query may see how files are cut into splits. */
  private def observesSplits(scan: FileSourceScanExec): Boolean =
    readsBlocks || scan.output.exists {
      case FileSourceConstantMetadataAttribute(column) =>
        Seq(FILE_BLOCK_START, FILE_BLOCK_LENGTH).exists(column.name.endsWith)
      case _ => false
    }

  private def relation(scan: FileSourceScanExec, index: PrunedFileIndex): HadoopFsRelation = {
    val files = scan.relation
    files.fileFormat match {
      case format: PrunedParquetFormat =>
        files.copy(location = index, fileFormat = format.of(index))(files.sparkSession)
      case _ => new PrunedRelation(files, conf).of(index, hasRuntimeFilters(scan))
    }
  }

  /** Returns the scan with another relation. Versions of Spark give a scan different arguments. */
  private def copied(scan: FileSourceScanExec, relation: HadoopFsRelation): SparkPlan =
    scan.makeCopy(scan.productIterator.map {
      case same: AnyRef if same eq scan.relation => relation
      case other => other.asInstanceOf[AnyRef]
    }.toArray)
}
