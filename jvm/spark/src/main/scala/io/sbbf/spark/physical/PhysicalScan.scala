package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  Expression,
  FileSourceConstantMetadataAttribute,
  PlanExpression,
  Predicate
}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.{ExecSubqueryExpression, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.files.{PrunedFileIndex, ScanColumns, SourceFormat}
import io.sbbf.spark.scan.{ObservesSplits, PrunedRelation}
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

  private val runtimePartitionFilters: Seq[Expression] =
    scan.partitionFilters.filter(isRuntimeFilter)

  /** Whether the scan chooses its partitions while the query runs. */
  def choosesPartitions: Boolean = runtimePartitionFilters.nonEmpty

  /**
   * Returns a function from a partition's values to whether the scan reads it, by the filters whose
   * values Spark finds while the query runs. Waits for these values: the scan needs them to run.
   *
   * Source: `FileSourceScanExec.dynamicallySelectedPartitions`.
   */
  def selectsPartition: InternalRow => Boolean =
    runtimePartitionFilters.reduceOption(And(_, _)).fold((_: InternalRow) => true) { filter =>
      filter.foreach {
        case subquery: ExecSubqueryExpression => subquery.updateResult()
        case _ =>
      }
      val columns = files.partitionSchema
      val ofValues = filter.transform { case a: AttributeReference =>
        val place = columns.indexWhere(_.name == a.name)
        BoundReference(place, columns(place).dataType, nullable = true)
      }
      val selects = Predicate.createInterpreted(ofValues)
      selects.eval(_)
    }

  private def hasRuntimeFilters: Boolean = scan.dataFilters.exists(isRuntimeFilter)

  /** Returns whether it is a batch scan of files by Spark, or one by Delta. */
  def isPrunable: Boolean = isKnownFormat && !isStreaming && !SparkInternals.runsInOneTask(scan)

  /** Returns whether only an index can rule out files. */
  def needsIndex: Boolean = SourceFormat.needsIndex(files.fileFormat)

  private def isKnownFormat: Boolean = {
    SourceFormat.isPrunable(files.fileFormat, conf) &&
    new PrunedRelation(files, conf).hasEvidence || (DeltaRelation.isDelta(files) && SbbfConf.Delta
      .get(conf) && (files.location match {
      case index: PrunedFileIndex => DeltaRelation.listsDataFiles(index.base)
      case index => DeltaRelation.listsDataFiles(index)
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
   * @param observesSplits whether expressions of the query see how files are cut into splits
   */
  def index(observesSplits: => Boolean): PrunedFileIndex = files.location match {
    case known: PrunedFileIndex => known
    case _ =>
      val guard = new ScanColumns(files).guard(dataFilters, mayPushMore = hasRuntimeFilters)
      new PrunedRelation(files, conf).index(guard, observesSplits || outputObservesSplits)
  }

  /** Delta adds all of `_metadata` to scans with deletion vectors, and needs only row indexes. */
  private def outputObservesSplits: Boolean =
    if (DeltaRelation.isDelta(files)) scan.logicalLink.forall(ObservesSplits.in)
    else outputHasBlocks

  private def outputHasBlocks: Boolean = scan.output.exists {
    case FileSourceConstantMetadataAttribute(column) =>
      Seq(FILE_BLOCK_START, FILE_BLOCK_LENGTH).exists(column.name.endsWith)
    case _ => false
  }

  /** Returns the scan of the files that another index lists. */
  def withIndex(index: PrunedFileIndex): SparkPlan = {
    val relation = new PrunedRelation(files, conf).of(index, hasRuntimeFilters)
    SparkInternals.withArgument(scan, files, relation)
  }
}

private[spark] object PhysicalScan {
  private def isRuntimeFilter(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[PlanExpression[_]])
}
