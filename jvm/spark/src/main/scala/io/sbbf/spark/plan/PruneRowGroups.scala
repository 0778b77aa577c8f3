package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeSet,
  Expression,
  InputFileBlockLength,
  InputFileBlockStart,
  Literal,
  PredicateHelper,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types._

import io.sbbf.core.RowGroupPredicate
import io.sbbf.parquet.ColumnLookup
import io.sbbf.spark.read.{PrunedParquetFormat, SafeRead}
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
 * already is left as it is. Trouble in pruning leaves the plan as it was.
 */
final case class PruneRowGroups() extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else {
      lazy val showsBlocks = plan.exists(_.expressions.exists(_.exists(isBlock)))
      plan.transform {
        case filter @ Filter(condition, scan: LogicalRelation) if isPrunable(scan) =>
          val keepsSplits = showsBlocks || scan.output.exists(MetadataColumn.is)
          try {
            KernelChoice.follow(conf)
            filter.copy(child = prune(scan, splitConjunctivePredicates(condition), keepsSplits))
          } catch {
            case Trouble(e) =>
              Notices.once(e.getClass.getName, "a scan was planned without pruning", e)
              filter
          }
      }
    }

  private def isBlock(expression: Expression): Boolean = expression match {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case _ => false
  }

  private def isPrunable(scan: LogicalRelation): Boolean =
    !scan.isStreaming && (scan.relation match {
      case files: HadoopFsRelation =>
        files.fileFormat.getClass == classOf[ParquetFileFormat] && !files.location
          .isInstanceOf[PrunedFileIndex]
      case _ => false
    })

  /** @param keepsSplits whether the query can see how files are cut into splits */
  private def prune(
      scan: LogicalRelation,
      conjuncts: Seq[Expression],
      keepsSplits: Boolean): LogicalRelation = {
    val files = scan.relation.asInstanceOf[HadoopFsRelation]
    val (partitionFilters, dataFilters) = split(scan, files, conjuncts)
    val translator = PruneRowGroups.translator(files, conf)
    val later = conjuncts.filter(SubqueryExpression.hasSubquery)
    val unsafe =
      if (!SbbfConf.SafeRead.get(conf)) Map.empty[String, String]
      else
        SafeRead.options(
          SparkInternals.pushedFilters(
            dataFilters ++ split(scan, files, later.map(withStandIns))._2),
          files.dataSchema,
          SparkInternals.readsByFieldId(conf))
    if (unsafe.isEmpty && !translator.translate(dataFilters).isUsable) scan
    else {
      val index = new PrunedFileIndex(files.location, translator, pruner(files))
      index.listFiles(partitionFilters, dataFilters)
      index.selection.foreach(LookupHistory.remember(scan, _))
      val settled = index.selection.exists(_.settlesFilters(later.nonEmpty))
      val format = new PrunedParquetFormat(index, keepsSplits, later.nonEmpty)
      rebuilt(scan, files, index, unsafe ++ (if (settled) SafeRead.FiltersOff else Nil), format)
    }
  }

  /** Tasks will know what a subquery gives, and those of Spark 4 hand it to stock: it may be the worst. */
  private def withStandIns(conjunct: Expression): Expression = conjunct.transform {
    case subquery: SubqueryExpression =>
      subquery.dataType match {
        case FloatType => Literal(Float.NaN)
        case DoubleType => Literal(Double.NaN)
        case LongType => Literal(Long.MaxValue)
        case harmless @ (BooleanType | IntegerType | BinaryType) => Literal.default(harmless)
        case other => Literal(null, other) // which nothing is handed down with
      }
  }

  /** The partition filters and the data filters, as the planner will hand them to the file index. */
  private def split(
      scan: LogicalRelation,
      files: HadoopFsRelation,
      conjuncts: Seq[Expression]): (Seq[Expression], Seq[Expression]) = {
    val static = conjuncts.filter(c => c.deterministic && !SubqueryExpression.hasSubquery(c))
    val normalized = SparkInternals.normalize(static, scan.output)
    val partitionColumns = scan.resolve(files.partitionSchema, conf.resolver)
    val partitionSet = AttributeSet(partitionColumns)
    (
      SparkInternals.partitionFilters(partitionColumns, normalized),
      normalized.flatMap { f =>
        if (f.references.intersect(partitionSet).isEmpty) Some(f)
        else extractPredicatesWithinOutputSet(f, scan.outputSet -- partitionSet)
      })
  }

  private def pruner(files: HadoopFsRelation): RowGroupPruner = new RowGroupPruner(
    files.sparkSession.sessionState.newHadoopConfWithOptions(files.options),
    PruneRowGroups.lookup(files, conf),
    PlanningLimits(
      threads = SbbfConf.Threads.get(conf),
      sampleFiles = SbbfConf.SampleFiles.get(conf),
      tailBytes = SbbfConf.TailBytes.get(conf).toInt,
      cacheBytes = SbbfConf.CacheBytes.get(conf)
    ),
    FooterCache.shared
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

private[spark] object PruneRowGroups {

  /** Reads predicates on a relation as the session means them. */
  def translator(files: HadoopFsRelation, conf: SQLConf): PredicateTranslator =
    new PredicateTranslator(
      files.partitionSchema.fieldNames.toSet,
      conf.caseSensitiveAnalysis,
      SparkInternals.readsByFieldId(conf))

  /** Finds a relation's columns in its files, some of which may lack those with an existence default. */
  def lookup(files: HadoopFsRelation, conf: SQLConf): ColumnLookup = {
    // the key of Spark's ResolveDefaultColumns
    val defaulted = files.dataSchema.fields.filter(_.metadata.contains("EXISTS_DEFAULT"))
    ColumnLookup(conf.caseSensitiveAnalysis, defaulted.map(_.name).toSet)
  }

  /** Why parts of a filter above a scan can rule out nothing in its files; names no values. */
  def unused(filter: Filter, files: HadoopFsRelation, conf: SQLConf): Seq[String] =
    translator(files, conf).unused(ofFiles(filter, files, conf))

  /** What evidence could answer of a filter above a scan. */
  def predicate(filter: Filter, files: HadoopFsRelation, conf: SQLConf): RowGroupPredicate =
    translator(files, conf).translate(ofFiles(filter, files, conf))

  /** The filter's conjuncts but for those of partition columns alone. */
  private def ofFiles(filter: Filter, files: HadoopFsRelation, conf: SQLConf): Seq[Expression] =
    SparkInternals
      .normalize(conjuncts(filter.condition), filter.child.output)
      .filterNot(c =>
        c.references.nonEmpty && c.references.forall(a =>
          files.partitionSchema.exists(f => conf.resolver(f.name, a.name))))

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }
}
