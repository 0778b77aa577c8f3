package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  FileSourceConstantMetadataAttribute,
  PlanExpression
}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.scan.{PrunedFileIndex, PrunedParquetFormat, PrunedRelation, ScanColumns}
import io.sbbf.spark.util.SbbfConf

/**
 * A scan of files in a physical plan, which may get another index of the files.
 *
 * @param conf the settings of the session that plans the query
 */
private[spark] final class PhysicalScan(scan: FileSourceScanExec, conf: SQLConf) {
  import PhysicalScan.isRuntimeFilter

  private val files: HadoopFsRelation = scan.relation

  /** The scan's filters on data columns whose values were known when the query was planned. */
  val dataFilters: Seq[Expression] = scan.dataFilters.filterNot(isRuntimeFilter)

  /** The scan's filters on partition columns, as Spark passes them to the index. */
  val partitionFilters: Seq[Expression] = scan.partitionFilters.filterNot(isRuntimeFilter)

  /** The scan's filters on partition columns whose values Spark finds while the query runs. */
  val runtimePartitionFilters: Seq[Expression] = scan.partitionFilters.filter(isRuntimeFilter)

  private def hasRuntimeFilters: Boolean = scan.dataFilters.exists(isRuntimeFilter)

  /** Returns whether it is a batch scan of Parquet files, by Spark or by Delta. */
  def isPrunable: Boolean = isKnownFormat && !isStreaming && !SparkInternals.runsInOneTask(scan)

  private def isKnownFormat: Boolean = {
    val format = files.fileFormat.getClass
    format == classOf[ParquetFileFormat] || format == classOf[PrunedParquetFormat] ||
    (DeltaRelation.is(files) && SbbfConf.Delta.get(conf) && (files.location match {
      case index: PrunedFileIndex => DeltaRelation.isKnown(index.base)
      case index => DeltaRelation.isKnown(index)
    }))
  }

  private def isStreaming: Boolean =
    scan.logicalLink.exists(_.isStreaming) || scan.productIterator.exists {
      case Some(_: SparkDataStream) => true // since Spark 4.0 a scan knows its stream
      case _ => false
    }

  /**
   * Returns the index of the scan's files, a new one if the scan was planned without pruning.
   *
   * @param readsBlocks whether the query can see how files are cut into splits
   */
  def index(readsBlocks: => Boolean): PrunedFileIndex = files.location match {
    case known: PrunedFileIndex => known
    case _ =>
      val guard = new ScanColumns(files).guard(dataFilters, mayPushMore = hasRuntimeFilters)
      new PrunedRelation(files, conf).index(guard, readsBlocks || showsBlocks)
  }

  private def showsBlocks: Boolean = scan.output.exists {
    case FileSourceConstantMetadataAttribute(column) =>
      Seq(FILE_BLOCK_START, FILE_BLOCK_LENGTH).exists(column.name.endsWith)
    case _ => false
  }

  /**
   * Returns the scan of the files that another index lists. Versions of Spark give a scan
   * different arguments.
   */
  def withIndex(index: PrunedFileIndex): SparkPlan = {
    val relation = new PrunedRelation(files, conf).of(index, hasRuntimeFilters)
    scan.makeCopy(scan.productIterator.map {
      case same: AnyRef if same eq files => relation
      case other => other.asInstanceOf[AnyRef]
    }.toArray)
  }
}

private[spark] object PhysicalScan {
  private def isRuntimeFilter(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[PlanExpression[_]])
}
