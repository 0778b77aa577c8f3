package io.sbbf.spark.plan

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
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._

import io.sbbf.parquet.Interruption
import io.sbbf.spark.read.{PrunedParquetFormat, PushdownGuard, PushdownLevel}
import io.sbbf.spark.{KernelChoice, Notices, SbbfConf}

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
      lazy val keepsSplits = VisibleBlocks.in(plan)
      // copies of scans, too, that choose partitions and rows of others while the query runs
      plan.transformDownWithSubqueriesAndPruning(_.containsAnyPattern(FILTER, PLAN_EXPRESSION)) {
        case filtered @ FilteredScan(conjuncts, scan) if isStock(scan) =>
          val next =
            try {
              KernelChoice.follow(conf)
              filesOf(scan).location match {
                case index: PrunedFileIndex =>
                  val pushed = pushedFilters(scan, conjuncts)
                  withOptions(scan, onlySafe(pushed.options(index.levelOfAnyVersion)))
                case _ => prune(scan, conjuncts, keepsSplits)
              }
            } catch {
              case Trouble(e) if !Interruption.is(e) =>
                Notices.once(e.getClass.getName, "a scan was planned without pruning", e)
                withOptions(
                  scan,
                  onlySafe(PushdownGuard.NoParquetFilters)
                ) // nobody knows what is safe
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

  /** @param keepsSplits whether the query can see how files are cut into splits */
  private def prune(
      scan: LogicalRelation,
      conjuncts: Seq[Expression],
      keepsSplits: => Boolean): LogicalRelation = {
    val files = filesOf(scan)
    val (partitionFilters, dataFilters) = split(scan, conjuncts)
    val columns = new ScanColumns(files)
    val asksLater = conjuncts.exists(SubqueryExpression.hasSubquery)
    val pushed = pushedFilters(scan, conjuncts)
    val isSafe = onlySafe(pushed.options(PushdownLevel.AnyFile)).isEmpty
    if (isSafe && !columns.translator.translate(dataFilters).isUsable) scan
    else {
      val index =
        new PrunedFileIndex(
          files.location,
          columns,
          pruner(files, pushed.guard),
          pushed.guard,
          keepsSplits)
      index.listFiles(partitionFilters, dataFilters)
      index.selection.foreach(LookupHistory.remember(scan, _))
      val settled = index.selection.exists(_.settlesFilters(asksLater))
      val format = new PrunedParquetFormat(index, index.keepsSplits, asksLater)
      val off = onlySafe(pushed.options(index.levelOfAnyVersion)) ++
        (if (settled) PushdownGuard.NoBloom else Nil)
      rebuilt(scan, files, index, off, format)
    }
  }

  private def onlySafe(options: => Map[String, String]): Map[String, String] =
    if (SbbfConf.SafeRead.get(conf)) options else Map.empty

  /** What Spark pushes to a scan, and what of it parquet-mr may check. */
  private final class Pushed(
      filters: Seq[Filter],
      val guard: PushdownGuard,
      comparesStructsByField: Boolean) {
    def options(level: PushdownLevel): Map[String, String] =
      guard.options(filters, if (comparesStructsByField) PushdownLevel.Nothing else level)
  }

  private def pushedFilters(scan: LogicalRelation, conjuncts: Seq[Expression]): Pushed = {
    val later = conjuncts.filter(SubqueryExpression.hasSubquery).map(withStandIns)
    val dataFilters = split(scan, conjuncts)._2 ++ split(scan, later)._2
    val files = filesOf(scan)
    val filters = SparkInternals.pushedFilters(dataFilters)
    val guard = PushdownGuard(
      filters,
      files.dataSchema,
      new ScanColumns(files).areFoundById,
      files.sparkSession.sessionState.conf.caseSensitiveAnalysis)
    new Pushed(
      filters,
      guard,
      comparesStructsByField =
        SparkInternals.expandsStructs && dataFilters.exists(comparesStructs))
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

  private def pruner(files: HadoopFsRelation, guard: PushdownGuard): RowGroupPruner =
    new RowGroupPruner(
      files.sparkSession.sessionState.newHadoopConfWithOptions(files.options),
      PlanningLimits(
        threads = SbbfConf.Threads.get(conf),
        sampleFiles = SbbfConf.SampleFiles.get(conf),
        tailBytes = SbbfConf.TailBytes.get(conf).toInt,
        cacheBytes = SbbfConf.CacheBytes.get(conf)
      ),
      FooterCache.shared,
      guard
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
  private def scaled(
      stats: CatalogStatistics,
      found: ScanSelection,
      all: Long): CatalogStatistics =
    if (found.sizeInBytes >= all) stats
    else
      CatalogStatistics(
        sizeInBytes = BigInt(found.sizeInBytes),
        rowCount = found.rows.map(BigInt(_)))
}
