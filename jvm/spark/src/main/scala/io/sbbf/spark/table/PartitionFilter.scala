package io.sbbf.spark.table

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame}

import io.sbbf.spark.iceberg.IcebergScan

/**
 * Finds the files of some partitions of a table.
 *
 * @param rows the rows of the whole table
 * @param condition the text of a condition on partition columns, in SQL
 */
private[table] final class PartitionFilter(rows: DataFrame, condition: String) {

  private val query: DataFrame =
    try rows.where(condition)
    catch { case e: AnalysisException => refuse(s"is invalid: ${e.getMessage}") }

  /**
   * Returns the files of the partitions that the condition selects.
   *
   * @throws IllegalArgumentException if it uses other columns
   */
  def ofPartitions(): Set[Path] =
    ComputeCurrentTime(query.queryExecution.analyzed) match {
      case Filter(filter, table) =>
        table.collectFirst { case relation: LogicalRelation =>
          selected(filter, relation)
        }.get
      case other => throw new IllegalStateException(s"unexpected plan: ${other.nodeName}")
    }

  /** Returns the files that Iceberg reads for the condition, which may use any column. */
  def ofIceberg(): Set[Path] =
    query.queryExecution.optimizedPlan
      .collect {
        case relation: DataSourceV2ScanRelation if IcebergScan.isKnown(relation.scan) =>
          IcebergScan.of(relation.scan).files.map(_.getPath)
      }
      .flatten
      .toSet

  private def selected(filter: Expression, relation: LogicalRelation): Set[Path] = {
    val files = relation.relation.asInstanceOf[HadoopFsRelation]
    val partitions = files.partitionSchema.fieldNames.toSeq
    val normalized = SparkInternals.normalize(Seq(filter), relation.output)
    val others = normalized.flatMap(_.references.map(_.name)).filterNot(partitions.contains)
    if (others.nonEmpty || SubqueryExpression.hasSubquery(filter) || !filter.deterministic)
      refuse(
        if (partitions.isEmpty) "needs partitions, and the table has none"
        else s"may only compare partition columns: ${partitions.mkString(", ")}")
    files.location.listFiles(normalized, Nil).flatMap(_.files.map(_.getPath)).toSet
  }

  private def refuse(why: String): Nothing =
    throw new IllegalArgumentException(s"where '$condition' $why")
}
