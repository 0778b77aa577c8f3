package io.sbbf.spark.files

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
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types._

import io.sbbf.spark.pushdown.PushdownGuard

/**
 * The filters that Spark's planner derives for a scan from the conjuncts above it.
 *
 * @param files the relation of `scan`
 */
private[spark] final class ScanFilters(
    scan: LogicalRelation,
    files: HadoopFsRelation,
    columns: ScanColumns,
    conjuncts: Seq[Expression])
    extends PredicateHelper {

  /** The filters on partition columns and on data columns, as the planner passes them to the index. */
  lazy val (ofPartitions: Seq[Expression], ofData: Seq[Expression]) = split(conjuncts)

  val hasSubqueries: Boolean = conjuncts.exists(SubqueryExpression.hasSubquery)

  lazy val canPrune: Boolean = columns.translate(ofData).canPrune

  /** Returns the guard of what Spark may push to parquet-mr. */
  def guard: PushdownGuard = {
    val later = conjuncts.filter(SubqueryExpression.hasSubquery).map(withStandIns)
    val dataFilters = ofData ++ split(later)._2
    columns.guard(
      dataFilters,
      mayPushMore = SparkInternals.expandsStructs && dataFilters.exists(comparesStructs))
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

  private def split(conjuncts: Seq[Expression]): (Seq[Expression], Seq[Expression]) = {
    val static = conjuncts.filter(c => c.deterministic && !SubqueryExpression.hasSubquery(c))
    val normalized = SparkInternals.normalize(static, scan.output)
    val settings = files.sparkSession.sessionState.conf
    val partitionColumns = (scan: LogicalPlan).resolve(files.partitionSchema, settings.resolver)
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
}
