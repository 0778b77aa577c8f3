package io.sbbf.spark.table

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.iceberg.IcebergScan

/**
 * Finds the files of some partitions of a table. It plans a query of them, without cached data.
 *
 * @param rows the rows of the whole table
 * @param condition the text of a condition on partition columns, in SQL
 */
private[table] final class PartitionFilter(
    session: SparkSession,
    rows: DataFrame,
    condition: String) {

  private val partitions: Seq[String] = rows.queryExecution.analyzed
    .collectFirst { case LogicalRelationOf(files) => files.partitionSchema.fieldNames.toSeq }
    .getOrElse(Nil)

  private lazy val analyzed: LogicalPlan =
    try rows.where(condition).queryExecution.analyzed
    catch {
      case e: AnalysisException if partitions.isEmpty => refuse(s"is invalid: ${summary(e)}")
      case e: AnalysisException =>
        refuse(s"is invalid, and $allowed. Spark reports: ${summary(e)}")
    }

  private lazy val optimized: LogicalPlan = session.sessionState.optimizer.execute(analyzed)

  /**
   * Returns the files of the partitions that the condition selects.
   *
   * @throws IllegalArgumentException if it uses other columns
   */
  def ofPartitions(): Set[Path] = {
    if (partitions.isEmpty) refuse("needs partitions, and the table has none")
    analyzed match {
      case Filter(filter, _) if isOfPartitions(filter) =>
      case _ => refuse(allowed)
    }
    val filters = optimized.collect { case Filter(filter, _) => filter }
    optimized
      .collectFirst { case relation @ LogicalRelationOf(files) =>
        val normalized = SparkInternals.normalize(filters, relation.output)
        base(files.location).listFiles(normalized, Nil).flatMap(_.files.map(_.getPath)).toSet
      }
      .getOrElse(Set.empty) // the condition is false
  }

  /** Returns the files that Iceberg reads for the condition, which may use any column. */
  def ofIceberg(): Set[Path] =
    optimized
      .collect {
        case relation: DataSourceV2ScanRelation if IcebergScan.isKnown(relation.scan) =>
          IcebergScan.of(relation.scan).files.map(_.getPath)
        case relation: DataSourceV2ScanRelation =>
          refuse(s"cannot select files of an unknown scan, ${relation.scan.getClass.getName}")
      }
      .flatten
      .toSet

  /** The first line of the message, without the text and the plan of the query. */
  private def summary(e: AnalysisException): String =
    e.getMessage.split("\n").find(_.trim.nonEmpty).getOrElse(e.getClass.getName)

  private def base(index: FileIndex): FileIndex = index match {
    case pruned: PrunedFileIndex => pruned.base
    case other => other
  }

  private def isOfPartitions(filter: Expression): Boolean =
    filter.deterministic && !SubqueryExpression.hasSubquery(filter) &&
      filter.references.forall(a =>
        partitions.exists(session.sessionState.conf.resolver(_, a.name)))

  private def allowed: String =
    s"may only compare partition columns: ${partitions.mkString(", ")}"

  private def refuse(why: String): Nothing =
    throw new IllegalArgumentException(s"where $why")

  private object LogicalRelationOf {
    def unapply(plan: LogicalPlan): Option[HadoopFsRelation] = plan match {
      case relation: LogicalRelation =>
        Some(relation.relation).collect { case files: HadoopFsRelation => files }
      case _ => None
    }
  }
}
