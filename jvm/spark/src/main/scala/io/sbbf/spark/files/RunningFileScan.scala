package io.sbbf.spark.files

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  Expression,
  PlanExpression,
  Predicate
}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.{ExecSubqueryExpression, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.scan.{LateKeys, RunningScan}
import io.sbbf.spark.util.{KernelChoice, SbbfConf}

/**
 * A scan of files in a physical plan, which may get another index of the files.
 *
 * @param conf the settings of the session that plans the query
 */
private[spark] final class RunningFileScan(
    format: FilesFormat,
    scan: FileSourceScanExec,
    readsBlocks: => Boolean,
    conf: SQLConf)
    extends RunningScan {
  import RunningFileScan.isRuntimeFilter

  private val files: HadoopFsRelation = scan.relation

  override def columns: ScanColumns = format.columns(files)

  /** Returns whether it is a batch scan in a format that can be pruned. */
  def isPrunable: Boolean =
    format.whyNever(files, conf).isEmpty && !isStreaming &&
      !SparkInternals.runsInOneTask(scan) && format.whyNoEvidence(files, conf).isEmpty

  override def narrowedBy(keys: Seq[LateKeys]): Option[SparkPlan] = {
    KernelChoice.start()
    val before = indexed
    // Spark's own format would read what is left out of a plan that preserves splits
    if (before.preserveSplits && format.needsIndex) None
    else narrowed(before, keys).map(withIndex)
  }

  /** Returns the scan whose tasks choose rows by its filter, None if that is useless. */
  def selectingRows: Option[SparkPlan] =
    if (!canSelectRows) None
    else {
      val index = indexed
      val pruning = index.selection.getOrElse(index.prune(partitionFilters, dataFilters))
      if (!areLarge(pruning)) None
      else {
        val pruned = format.withIndex(files, index, conf, hasRuntimeFilters)
        val filters = scan.dataFilters ++ index.late.map(_.filter)
        Some(withFiles(format.selectingRows(pruned, filters)))
      }
    }

  private def canSelectRows: Boolean =
    SbbfConf.Pages.get(conf) && format.canSelectRows(files, conf)

  /** Returns whether enough is left of the files, on average, for tasks to choose rows in it. */
  private def areLarge(pruning: ScanPruning): Boolean =
    pruning.keptFiles > 0 && pruning.keptBytes >= pruning.keptFiles * SbbfConf.PageBytes.get(conf)

  private def indexed: PrunedFileIndex = files.location match {
    case known: PrunedFileIndex => known
    case _ =>
      val guard = columns.guard(dataFilters, mayPushMore = hasRuntimeFilters)
      val preserveSplits = readsBlocks || format.outputObservesSplits(scan)
      format.index(files, guard, preserveSplits, conf)
  }

  /**
   * Returns an index of what might hold the keys, if it holds enough less than was planned or if tasks
   * can choose rows by the keys.
   */
  private def narrowed(before: PrunedFileIndex, keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    val index = before.narrowedBy(keys, selectsPartition)
    val found = index.prune(partitionFilters, dataFilters)
    val isWorthIt = before.selection match {
      case Some(planned) if !choosesPartitions => found.keptBytes < planned.keptBytes
      // Spark's own format class is worth more than a few row groups
      case _ => found.keptBytes <= found.filesBytes - found.filesBytes / 50
    }
    if (isWorthIt || canSelectRows && areLarge(found)) Some(index) else None
  }

  /** The scan's filters on data columns whose values were known when the query was planned. */
  private val dataFilters: Seq[Expression] = scan.dataFilters.filterNot(isRuntimeFilter)

  /** The scan's filters on partition columns, as Spark passes them to the index. */
  private val partitionFilters: Seq[Expression] = scan.partitionFilters.filterNot(isRuntimeFilter)

  private val runtimePartitionFilters: Seq[Expression] =
    scan.partitionFilters.filter(isRuntimeFilter)

  /** Whether the scan chooses its partitions while the query runs. */
  private def choosesPartitions: Boolean = runtimePartitionFilters.nonEmpty

  /**
   * Returns a function from a partition's values to whether the scan reads it, by the filters whose
   * values Spark finds while the query runs. Waits for these values: the scan needs them to run.
   *
   * Source: `FileSourceScanExec.dynamicallySelectedPartitions`.
   */
  private def selectsPartition: InternalRow => Boolean =
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

  private def isStreaming: Boolean =
    scan.logicalLink.exists(_.isStreaming) || scan.productIterator.exists {
      case Some(_: SparkDataStream) => true // since Spark 4.0 a scan knows its stream
      case _ => false
    }

  /** Returns the scan of the files that another index lists. */
  def withIndex(index: PrunedFileIndex): SparkPlan =
    withFiles(format.withIndex(files, index, conf, hasRuntimeFilters))

  private def withFiles(others: HadoopFsRelation): SparkPlan =
    SparkInternals.withArgument(scan, files, others)
}

private[spark] object RunningFileScan {
  private def isRuntimeFilter(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[PlanExpression[_]])
}
