package io.sbbf.spark.table

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import io.sbbf.spark.files.{FileRelation, FilesFormat}

/**
 * Finds the files of some partitions of a table. It plans a query of them, without cached data.
 *
 * @param rows the rows of the whole table
 * @param condition the text of a condition on partition columns, in SQL
 */
private[spark] final class PartitionFilter(
    session: SparkSession,
    rows: DataFrame,
    condition: String) {

  private val partitions: Seq[String] = rows.queryExecution.analyzed
    .collectFirst { case FileRelation(_, files) => files.partitionSchema.fieldNames.toSeq }
    .getOrElse(Nil)

  private lazy val analyzed: LogicalPlan =
    try rows.where(condition).queryExecution.analyzed
    catch {
      case e: AnalysisException if partitions.isEmpty => refuse(s"is invalid: ${nameOf(e)}")
      case e: AnalysisException =>
        refuse(s"is invalid, and $allowed. Spark reports: ${nameOf(e)}")
    }

  private lazy val optimized: LogicalPlan =
    evaluated(session.sessionState.optimizer.execute(analyzed))

  /**
   * Returns the files of the partitions that the condition selects.
   *
   * @throws IllegalArgumentException if it uses other columns
   */
  def ofPartitions(): Seq[FileStatus] = {
    if (partitions.isEmpty) refuse("needs partitions, and the table has none")
    analyzed match {
      case Filter(filter, _) if isOfPartitions(filter) =>
      case _ => refuse(allowed)
    }
    val filters = optimized.collect { case Filter(filter, _) => filter }
    optimized
      .collectFirst { case FileRelation(relation, files) =>
        val normalized = SparkInternals.normalize(filters, relation.output)
        evaluated(FilesFormat.baseOf(files.location).listFiles(normalized, Nil))
          .flatMap(_.files.map(_.fileStatus))
      }
      .getOrElse(Nil) // the condition is false
  }

  /**
   * Returns the files that scans read for the condition, which may use any column.
   *
   * @param files returns the files of a scan, None if it is of an unknown class
   * @throws IllegalArgumentException if a scan is unknown
   */
  def ofScans(files: Scan => Option[Seq[FileStatus]]): Seq[FileStatus] =
    optimized.collect { case relation: DataSourceV2ScanRelation =>
      files(relation.scan).getOrElse(
        refuse(s"cannot select files of an unknown scan, ${relation.scan.getClass.getName}"))
    }.flatten

  private def evaluated[T](body: => T): T =
    try body
    catch {
      case e: Exception with SparkThrowable =>
        refuse(s"cannot be evaluated. Spark reports: ${nameOf(e)}")
    }

  /** The name of the error, with which its message begins. The rest may show literals and values. */
  private def nameOf(e: Throwable): String =
    PartitionFilter.Name.findFirstMatchIn(e.getMessage).fold(e.getClass.getName)(_.group(1))

  private def isOfPartitions(filter: Expression): Boolean =
    filter.deterministic && !SubqueryExpression.hasSubquery(filter) &&
      filter.references.forall(a =>
        partitions.exists(session.sessionState.conf.resolver(_, a.name)))

  private def allowed: String =
    s"may only compare partition columns: ${partitions.mkString(", ")}"

  private def refuse(why: String): Nothing =
    throw new IllegalArgumentException(s"where $why")
}

private object PartitionFilter {
  private val Name = "\\[([A-Z0-9_.]+)\\]".r
}
