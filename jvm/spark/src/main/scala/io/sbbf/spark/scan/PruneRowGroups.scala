package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet,
  BinaryComparison,
  Expression,
  In,
  InSet,
  InSubquery,
  Literal,
  PredicateHelper,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, PLAN_EXPRESSION}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types._

import io.sbbf.parquet.model.{Interruption, RecoverableError}
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.pushdown.{PushdownGuard, ReadPolicy}
import io.sbbf.spark.util.{KernelChoice, LogOnce, SbbfConf}

/**
 * Prunes Parquet scans while a query is planned: leaves out files and row groups that their own
 * statistics, dictionaries and bloom filters refute.
 *
 * {{{
 *   Filter (user_id = 42)                       Filter (user_id = 42)
 *     LogicalRelation                   ==>       LogicalRelation
 *       location: InMemoryFileIndex                 location: PrunedFileIndex(InMemoryFileIndex)
 *       fileFormat: ParquetFileFormat               fileFormat: PrunedParquetFormat
 * }}}
 *
 * The filter stays: the relation only loses rows that the filter would remove. A pruned relation
 * is not pruned again, even if Spark adds filters above it later. An error while pruning leaves
 * out nothing.
 */
final class PruneRowGroups extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else {
      lazy val preserveSplits = ObservesSplits.in(plan)
      // includes copies of scans that select partitions and rows of other scans at run time
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan) if isSparkParquet(scan) =>
          val next =
            try {
              KernelChoice.start()
              filesOf(scan).location match {
                case index: PrunedFileIndex =>
                  val guard = pushdownGuard(scan, conjuncts)
                  val planned =
                    index.plannedScan(conjuncts.exists(SubqueryExpression.hasSubquery))
                  withOptions(scan, guard.decide(planned, isSafe).options)
                case _ => prune(scan, conjuncts, preserveSplits)
              }
            } catch {
              case RecoverableError(e) if !Interruption.is(e) =>
                LogOnce
                  .once(e.getClass.getName, "pruning failed, so a scan is planned without it", e)
                // it is unknown which checks are safe
                if (isSafe) withOptions(scan, ReadPolicy.NoParquetFilters) else scan
            }
          filtered.transform { case `scan` => next }
      }
    }

  /** Returns whether the scan is a batch scan in Spark's own Parquet format. */
  private def isSparkParquet(scan: LogicalRelation): Boolean =
    !scan.isStreaming && (scan.relation match {
      case files: HadoopFsRelation => files.fileFormat.getClass == classOf[ParquetFileFormat]
      case _ => false
    })

  private def filesOf(scan: LogicalRelation): HadoopFsRelation =
    scan.relation.asInstanceOf[HadoopFsRelation]

  private def withOptions(
      scan: LogicalRelation,
      options: Map[String, String]): LogicalRelation = {
    val files = filesOf(scan)
    if (options.forall { case (key, value) => files.options.get(key).contains(value) }) scan
    else scan.copy(relation = files.copy(options = files.options ++ options)(files.sparkSession))
  }

  /** @param preserveSplits whether the query can see how files are cut into splits */
  private def prune(
      scan: LogicalRelation,
      conjuncts: Seq[Expression],
      preserveSplits: => Boolean): LogicalRelation = {
    val files = filesOf(scan)
    val (partitionFilters, dataFilters) = split(scan, conjuncts)
    val columns = new ScanColumns(files)
    val hasRuntimeFilters = conjuncts.exists(SubqueryExpression.hasSubquery)
    val guard = pushdownGuard(scan, conjuncts)
    if ((!isSafe || guard.withholdsNothing) && !columns.translator
        .translate(dataFilters)
        .canPrune) scan
    else {
      val pruned = new PrunedRelation(files, conf)
      val index = pruned.index(guard, preserveSplits)
      index.listFiles(partitionFilters, dataFilters)
      index.selection.foreach(QueryHistory.remember(scan, _))
      rebuilt(scan, index, pruned.of(index, hasRuntimeFilters))
    }
  }

  private def isSafe: Boolean = SbbfConf.SafeRead.get(conf)

  private def pushdownGuard(scan: LogicalRelation, conjuncts: Seq[Expression]): PushdownGuard = {
    val later = conjuncts.filter(SubqueryExpression.hasSubquery).map(withStandIns)
    val dataFilters = split(scan, conjuncts)._2 ++ split(scan, later)._2
    val files = filesOf(scan)
    PushdownGuard(
      SparkInternals.pushedFilters(dataFilters),
      files.dataSchema,
      new ScanColumns(files).areFoundById,
      files.sparkSession.sessionState.conf.caseSensitiveAnalysis,
      mayPushMore = SparkInternals.expandsStructs && dataFilters.exists(comparesStructs)
    )
  }

  /** Returns whether Spark may push comparisons of a struct's fields, translated or not. */
  private def comparesStructs(filter: Expression): Boolean = filter.exists {
    case comparison: BinaryComparison => comparison.left.dataType.isInstanceOf[StructType]
    case In(value, _) => value.dataType.isInstanceOf[StructType]
    case InSet(value, _) => value.dataType.isInstanceOf[StructType]
    case _ => false
  }

  /**
   * Replaces subqueries by worst-case literals: tasks know their values, and Spark 4 pushes them
   * to parquet-mr. Subqueries that only test whether a row exists become joins.
   */
  private def withStandIns(conjunct: Expression): Expression = conjunct.transform {
    case _: InSubquery => Literal.TrueLiteral
    case subquery: SubqueryExpression =>
      subquery.dataType match {
        case FloatType => Literal(Float.NaN)
        case DoubleType => Literal(Double.NaN)
        case LongType => Literal(Long.MaxValue)
        case text: StringType => Literal.create("\ufffd", text)
        case harmless @ (BooleanType | IntegerType | BinaryType) => Literal.default(harmless)
        case other => Literal(null, other) // Spark pushes no filter with this literal
      }
  }

  /**
   * Returns the partition filters and the data filters that Spark's planner passes to the index.
   */
  private def split(
      scan: LogicalRelation,
      conjuncts: Seq[Expression]): (Seq[Expression], Seq[Expression]) = {
    val files = filesOf(scan)
    val static = conjuncts.filter(c => c.deterministic && !SubqueryExpression.hasSubquery(c))
    val normalized = SparkInternals.normalize(static, scan.output)
    val settings = files.sparkSession.sessionState.conf
    val partitionColumns = scan.resolve(files.partitionSchema, settings.resolver)
    val partitionSet = AttributeSet(partitionColumns)
    (
      SparkInternals.partitionFilters(partitionColumns, normalized),
      SparkInternals.expanded(
        normalized.flatMap { f =>
          if (f.references.intersect(partitionSet).isEmpty) Some(f)
          else extractPredicatesWithinOutputSet(f, scan.outputSet -- partitionSet)
        },
        settings
      ))
  }

  /** Returns the scan with its pruned relation, and with statistics of what is left of it. */
  private def rebuilt(
      scan: LogicalRelation,
      index: PrunedFileIndex,
      pruned: HadoopFsRelation): LogicalRelation =
    scan.copy(
      relation = pruned,
      catalogTable = scan.catalogTable.map { table =>
        val known =
          for (stats <- table.stats; found <- index.selection)
            yield scaled(stats, found, index.base.sizeInBytes)
        known.fold(table)(SparkInternals.withStats(table, _))
      }
    )

  /**
   * Returns the statistics of the kept row groups: sizes from ANALYZE would hide the pruning.
   * Drops column statistics, which no longer hold.
   */
  private def scaled(stats: CatalogStatistics, found: ScanPruning, all: Long): CatalogStatistics =
    if (found.sizeInBytes >= all) stats
    else
      CatalogStatistics(
        sizeInBytes = BigInt(found.sizeInBytes),
        rowCount = found.rows.map(BigInt(_)))
}
