package io.sbbf.spark

import java.util.{ArrayList, LinkedHashMap}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.RowGroupPredicate
import io.sbbf.core.RowGroupPredicate._
import io.sbbf.spark.plan.{PruneRowGroups, PrunedFileIndex, RowGroupPruner, ScanSelection}

/** What was pruned of a query, by which evidence and at what cost. Never holds a literal of the query. */
private[spark] object PruneReport {

  /**
   * A JSON object with `enabled` (boolean), `scans` (one object for each pruned scan) and `unpruned` (`relation`
   * and `reason` of every other file scan), for the query and its subqueries.
   */
  def json(query: QueryExecution): String = {
    val plan = query.optimizedPlan
    val conf = query.sparkSession.sessionState.conf
    val filters = plan.collectWithSubqueries { case f @ Filter(_, _: LogicalRelation) => f }
    val scans = plan.collectWithSubqueries { case r: LogicalRelation =>
      (r, filters.find(_.child eq r))
    }
    new ObjectMapper().writeValueAsString(
      fields(
        "enabled" -> SbbfConf.Enabled.get(conf),
        "scans" -> list(scans.flatMap { case (r, filter) => scan(r, filter, conf) }),
        "unpruned" -> list(scans.flatMap { case (r, filter) => unpruned(r, filter, conf) })
      ))
  }

  private def scan(
      relation: LogicalRelation,
      filter: Option[Filter],
      conf: SQLConf): Option[Any] =
    relation.relation match {
      case files @ HadoopFsIndex(index: PrunedFileIndex) =>
        index.selection.map(describe(index, _, unused(files, filter, conf)))
      case _ => None
    }

  private def describe(index: PrunedFileIndex, s: ScanSelection, unused: Seq[String]): Any =
    fields(
      "paths" -> list(index.rootPaths.map(_.toString)),
      "predicate" -> text(s.predicate),
      "not_used" -> list(unused),
      "files" -> s.numFiles,
      "files_kept" -> s.keptFiles,
      "row_groups" -> s.rowGroups,
      "row_groups_kept" -> s.keptRowGroups,
      "bytes" -> s.filesBytes,
      "bytes_kept" -> s.sizeInBytes,
      "refuted_by" -> fields(
        s.refutedBy.toSeq.map { case (e, n) => e.name -> n }.sortBy(_._1): _*),
      "kept_because" -> fields(s.keptBecause.toSeq.sortBy(-_._2): _*),
      "filters_rejected" -> fields(s.filtersRejected.toSeq.sortBy(-_._2): _*),
      "millis" -> s.nanos / 1e6,
      "bytes_read" -> s.bytesRead,
      "files_opened" -> s.filesOpened,
      "stopped_early" -> s.stoppedEarly,
      "summary" -> s.summary
    )

  private def unpruned(
      relation: LogicalRelation,
      filter: Option[Filter],
      conf: SQLConf): Option[Any] =
    relation.relation match {
      case HadoopFsIndex(_: PrunedFileIndex) => None
      case files: HadoopFsRelation =>
        val reason =
          if (!files.fileFormat.isInstanceOf[ParquetFileFormat]) "not a Parquet scan"
          else if (relation.isStreaming) "a streaming source"
          else if (filter.isEmpty) "no filter stands directly above the scan"
          else (RowGroupPruner.NoUsableLeaf +: unused(files, filter, conf)).mkString("; ")
        Some(fields("relation" -> files.location.rootPaths.mkString(", "), "reason" -> reason))
      case _ => None
    }

  private def unused(relation: Any, filter: Option[Filter], conf: SQLConf): Seq[String] =
    relation match {
      case files: HadoopFsRelation => filter.toSeq.flatMap(PruneRowGroups.unused(_, files, conf))
      case _ => Nil
    }

  private object HadoopFsIndex {
    def unapply(relation: Any): Option[Any] = relation match {
      case files: HadoopFsRelation => Some(files.location)
      case _ => None
    }
  }

  /** The shape of a predicate, without its values. */
  private def text(predicate: RowGroupPredicate): String = predicate match {
    case And(children) => children.map(text).mkString("(", " AND ", ")")
    case Or(children) => children.map(text).mkString("(", " OR ", ")")
    case Leaf(column, AllOf(tests)) => text(And(tests.map(t => Leaf(column, t))))
    case Leaf(column, test: OneTest) => s"$column ${symbol(test)}"
    case Never => "FALSE"
    case Always => "TRUE"
    case Unknown(_) => "UNKNOWN"
  }

  private def symbol(test: OneTest): String = test match {
    case In(values) => if (values.size == 1) "= ?" else s"IN (${values.size} values)"
    case NotIn(values) => if (values.size == 1) "<> ?" else s"NOT IN (${values.size} values)"
    case Less(_, orEqual) => if (orEqual) "<= ?" else "< ?"
    case Greater(_, orEqual) => if (orEqual) ">= ?" else "> ?"
    case IsNull => "IS NULL"
    case IsNotNull => "IS NOT NULL"
  }

  private def fields(entries: (String, Any)*): LinkedHashMap[String, Any] = {
    val map = new LinkedHashMap[String, Any]
    entries.foreach { case (key, value) => map.put(key, value) }
    map
  }

  private def list(items: Seq[Any]): ArrayList[Any] = {
    val result = new ArrayList[Any]
    items.foreach(item => result.add(item))
    result
  }
}
