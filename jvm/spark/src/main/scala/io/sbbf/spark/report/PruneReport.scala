package io.sbbf.spark.report

import java.util.{ArrayList, LinkedHashMap, Map => JMap}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression.hasSubquery
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.FileRange
import io.sbbf.spark.files.FileRelation
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.late.LateScans
import io.sbbf.spark.scan._
import io.sbbf.spark.session.SessionPruning

/**
 * What pruning removed from queries, by which evidence and at what cost. Never holds a literal of a
 * query. Keeps no plan.
 *
 * @param isEnabled whether pruning was enabled in the session
 * @param scans an object for each scan that was pruned
 * @param unpruned the `relation` and `reason` of every other scan of files, tables or caches
 * @param statement the number of the statement in the SQL tab, None if it has not run
 */
private[spark] final case class PruneReport(
    isEnabled: Boolean,
    scans: Seq[JMap[String, Any]],
    unpruned: Seq[JMap[String, Any]],
    statement: Option[Long] = None) {

  /** Whether pruning was enabled and the queries read no files, tables or caches. */
  def isEmpty: Boolean = isEnabled && scans.isEmpty && unpruned.isEmpty

  /**
   * Returns the report on the scans that were pruned. A command that runs its queries itself reads
   * nothing by its own plan, which nevertheless has their scans.
   */
  def onlyPruned: PruneReport = copy(unpruned = Nil)

  /** Returns the report on these queries and on later ones. */
  def ++(later: PruneReport): PruneReport =
    later.copy(scans = scans ++ later.scans, unpruned = unpruned ++ later.unpruned)

  /** Returns a JSON object with the fields `enabled`, `scans` and `unpruned`. */
  def json: String =
    new ObjectMapper().writeValueAsString(
      PruneReport.fields(
        "enabled" -> isEnabled,
        "scans" -> PruneReport.list(scans),
        "unpruned" -> PruneReport.list(unpruned),
        "statement" -> statement.map(Long.box).orNull))
}

private[spark] object PruneReport {

  /** The most bars in the picture of one scan, however many files it has. */
  private val MostBars = 50

  /** Returns the report on a query and its subqueries. Plans the query if it is not planned yet. */
  def of(query: QueryExecution): PruneReport = of(query, mayRead = true, _ => true)

  /** Returns the report on a query that has ended. Reads no store, and leaves out the logs of tables. */
  def ofEnded(query: QueryExecution): PruneReport =
    if (SessionPruning.isActive(query.sparkSession)) of(query, mayRead = false, !isLog(_))
    else PruneReport(isEnabled = false, Nil, Nil)

  /** @param mayRead whether the reasons may come from a store */
  private def of(
      query: QueryExecution,
      mayRead: Boolean,
      isWanted: LeafNode => Boolean): PruneReport = {
    val plan = query.optimizedPlan
    val conf = query.sparkSession.sessionState.conf
    val filtered = FilteredScan.all(plan)
    val late = new LateScans(query)
    lazy val observesSplits = ObservesSplits.in(plan)
    val leaves = plan.collectWithSubqueries {
      case leaf: LeafNode if isWanted(leaf) =>
        val filters = filtered.collectFirst {
          case (conjuncts, scan) if scan eq leaf => conjuncts
        }
        val scan = ScanFormat.scanOf(Formats.all, leaf, conf)
        (leaf, filters, scan, scan.flatMap(_.outcome(late.reading(leaf.outputSet))))
    }
    PruneReport(
      SessionPruning.isActive(query.sparkSession),
      leaves.collect { case (leaf, filters, _, Some(table)) =>
        describe(leaf, filters, table, late)
      },
      leaves.collect { case (leaf, filters, scan, None) =>
        UnprunedRelation.of(leaf, scan, filters, observesSplits, conf, mayRead).map { r =>
          val ofKeys =
            if (scan.isEmpty) Nil
            else late.reasons(leaf.outputSet) ++ late.broadcasts(leaf.outputSet)
          val reasons = r.reason +: ofKeys
          fields("relation" -> r.name, "reason" -> reasons.mkString("; "))
        }
      }.flatten
    )
  }

  /** Returns whether it reads the log of a Delta table, as Delta does before the table itself. */
  private def isLog(leaf: LeafNode): Boolean = leaf match {
    case FileRelation(_, files) =>
      files.location.rootPaths.exists(_.toString.contains("/_delta_log/"))
    case _ => false
  }

  private def describe(
      leaf: LeafNode,
      filters: Option[Seq[Expression]],
      table: PrunedTable,
      late: LateScans): JMap[String, Any] = {
    val hasResults = table.late.exists(_.origin == LateKeys.Subquery)
    val planned = filters.map(_.filterNot(hasResults && hasSubquery(_)))
    val unused = planned.toSeq.flatMap(table.columns.unused(_, leaf.output))
    val ofBroadcasts = if (table.late.isEmpty) late.broadcasts(leaf.outputSet) else None
    describe(table, unused ++ late.reasons(leaf.outputSet) ++ ofBroadcasts)
  }

  private def describe(table: PrunedTable, unused: Seq[String]): JMap[String, Any] = {
    val s = table.selection
    fields(
      "paths" -> list(table.paths),
      "predicate" -> text(s.predicate, table.columns),
      "not_used" -> list(unused),
      "late_keys" -> list(table.late.map(_.description)),
      "files" -> s.numFiles,
      "files_kept" -> s.keptFiles,
      "row_groups" -> s.rowGroups,
      "row_groups_kept" -> s.keptRowGroups,
      "bytes" -> s.filesBytes,
      "bytes_kept" -> s.keptBytes,
      "refuted_by" -> counts(s.refutedBy),
      "kept_because" -> fields(s.keptBecause.toSeq.sortBy(-_._2): _*),
      "filters_rejected" -> fields(s.filtersRejected.toSeq.sortBy(-_._2): _*),
      "millis" -> s.nanos / 1e6,
      "bytes_read" -> s.bytesRead,
      "files_opened" -> s.filesOpened,
      "files_read_by_tasks" -> s.tasks.files,
      "files_missed_by_tasks" -> s.tasks.missed,
      "stopped_early" -> s.stoppedEarly,
      "files_not_cached" -> s.filesDeclined,
      "index_segments" -> s.index.segments,
      "index_pages" -> s.index.pages,
      "index_bytes" -> s.index.bytes,
      "pages_read" -> table.pages.read,
      "pages_skipped" -> table.pages.skipped,
      "rows_skipped" -> table.pages.skippedRows,
      "bars" -> list(s.ranges(MostBars).map(bar).toSeq),
      "summary" -> s.summary
    )
  }

  /** Describes one bar in the picture of a scan: names of files and counts of row groups. */
  private def bar(range: FileRange): Any =
    fields(
      "first" -> range.first,
      "last" -> range.last,
      "files" -> range.outcomes.size,
      "files_unknown" -> range.outcomes.count(!_.isKnown),
      "row_groups" -> range.outcomes.iterator.map(_.rowGroups.toLong).sum,
      "row_groups_kept" -> range.outcomes.iterator.map(_.kept.toLong).sum,
      "refuted_by" -> counts(range.refutedBy)
    )

  private def counts(evidence: Map[Evidence, Long]): Any =
    fields(evidence.toSeq.map { case (e, n) => e.name -> n }.sortBy(_._1): _*)

  /** Formats a predicate without its values. */
  private def text(predicate: RowGroupPredicate, columns: FileColumns): String = {
    def of(part: RowGroupPredicate): String = part match {
      case And(children) => children.map(of).mkString("(", " AND ", ")")
      case Or(children) => children.map(of).mkString("(", " OR ", ")")
      case Leaf(column, AllOf(tests)) => of(And(tests.map(t => Leaf(column, t))))
      case Leaf(column, test: SimpleTest) => s"${columns.nameInTable(column)} ${symbol(test)}"
      case False => "FALSE"
      case True => "TRUE"
      case Unknown(_) => "UNKNOWN"
    }
    of(predicate)
  }

  private def symbol(test: SimpleTest): String = test match {
    case In(values) => if (values.size == 1) "= ?" else s"IN (${values.size} values)"
    case NotIn(values) => if (values.size == 1) "<> ?" else s"NOT IN (${values.size} values)"
    case Less(_, orEqual) => if (orEqual) "<= ?" else "< ?"
    case Greater(_, orEqual) => if (orEqual) ">= ?" else "> ?"
    case IsNull | IsNullDecimal(_, _) => "IS NULL"
    case IsNotNull => "IS NOT NULL"
  }

  private def fields(entries: (String, Any)*): JMap[String, Any] = {
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
