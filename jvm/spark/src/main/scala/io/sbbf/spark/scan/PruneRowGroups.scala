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
import io.sbbf.parquet.prune.{
  FooterCache,
  PlanningLimits,
  ScanPruner,
  ScanPruning,
  StorageRequirements
}
import io.sbbf.spark.pushdown.{PushdownGuard, ReadPolicy}
import io.sbbf.spark.util.{ExecutorJar, KernelChoice, LogOnce, SbbfConf}

/**
 * Leaves out of a Parquet scan what its files' own evidence refutes, while the query is planned:
 *
 * {{{
 *   Filter (user_id = 42)                       Filter (user_id = 42)
 *     LogicalRelation                   ==>       LogicalRelation
 *       location: InMemoryFileIndex                 location: PrunedFileIndex(InMemoryFileIndex)
 *       fileFormat: ParquetFileFormat               fileFormat: PrunedParquetFormat
 * }}}
 *
 * The filter stays; the relation may only hold fewer rows that it would have removed. A relation that is pruned
 * already stays so, when the filters above it have become more. Trouble in pruning leaves out nothing.
 */
final class PruneRowGroups extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else {
      lazy val preserveSplits = ObservesSplits.in(plan)
      // copies of scans, too, that choose partitions and rows of others while the query runs
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan) if isStock(scan) =>
          val next =
            try {
              KernelChoice.follow(conf)
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
                LogOnce.once(e.getClass.getName, "a scan was planned without pruning", e)
                // nobody knows what is safe
                if (isSafe) withOptions(scan, ReadPolicy.NoParquetFilters) else scan
            }
          filtered.transform { case `scan` => next }
      }
    }

  /** Whether stock Spark reads it. */
  private def isStock(scan: LogicalRelation): Boolean =
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
      val index =
        new PrunedFileIndex(
          files.location,
          columns,
          pruner(files, guard.requirements),
          guard,
          preserveSplits)
      index.listFiles(partitionFilters, dataFilters)
      index.selection.foreach(QueryHistory.remember(scan, _))
      val format = new PrunedParquetFormat(index, index.preserveSplits, hasRuntimeFilters)
      val policy = guard.decide(index.plannedScan(hasRuntimeFilters), isSafe)
      rebuilt(scan, files, index, policy.options, format)
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

  /** Whose fields may be handed down one by one, though nothing is translated of it here. */
  private def comparesStructs(filter: Expression): Boolean = filter.exists {
    case comparison: BinaryComparison => comparison.left.dataType.isInstanceOf[StructType]
    case In(value, _) => value.dataType.isInstanceOf[StructType]
    case InSet(value, _) => value.dataType.isInstanceOf[StructType]
    case _ => false
  }

  /**
   * Tasks will know what a subquery gives, and those of Spark 4 hand it to stock: it may be the worst. Those that only
   * tell whether there is a row become joins.
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
        case other => Literal(null, other) // which nothing is handed down with
      }
  }

  /** The partition filters and the data filters, as the planner will hand them to the file index. */
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

  private def pruner(files: HadoopFsRelation, requirements: StorageRequirements): ScanPruner =
    new ScanPruner(
      files.sparkSession.sessionState.newHadoopConfWithOptions(files.options),
      PlanningLimits(
        threads = SbbfConf.Threads.get(conf),
        sampleFiles = SbbfConf.SampleFiles.get(conf),
        tailBytes = SbbfConf.TailBytes.get(conf).toInt,
        cacheBytes = SbbfConf.CacheBytes.get(conf)
      ),
      FooterCache.shared,
      requirements,
      LogOnce
    )

  /**
   * Where the format is not to be swapped, read options switch off what of stock's checks is not to be trusted.
   * All Parquet formats are equal to Spark, so it is by the index alone that the optimizer sees a change.
   */
  private def rebuilt(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      unsafe: Map[String, String],
      format: PrunedParquetFormat): LogicalRelation = {
    val swaps =
      SbbfConf.FormatEnabled.get(conf) && ExecutorJar.isThere(files.sparkSession.sparkContext)
    scan.copy(
      relation = files.copy(
        location = index,
        fileFormat = if (swaps) format else files.fileFormat,
        options = if (swaps) files.options else files.options ++ unsafe
      )(files.sparkSession),
      catalogTable = scan.catalogTable.map { table =>
        val known =
          for (stats <- table.stats; found <- index.selection)
            yield scaled(stats, found, files.location.sizeInBytes)
        known.fold(table)(SparkInternals.withStats(table, _))
      }
    )
  }

  /** Sizes after ANALYZE would hide what was pruned; its column statistics no longer hold for what is left. */
  private def scaled(stats: CatalogStatistics, found: ScanPruning, all: Long): CatalogStatistics =
    if (found.sizeInBytes >= all) stats
    else
      CatalogStatistics(
        sizeInBytes = BigInt(found.sizeInBytes),
        rowCount = found.rows.map(BigInt(_)))
}
