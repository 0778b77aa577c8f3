package io.sbbf.spark.report

import java.lang.ref.WeakReference

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.ui.{
  SparkListenerSQLExecutionEnd,
  SparkListenerSQLExecutionStart
}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.LogOnce

/**
 * Remembers what pruning did to the last statement of each session that read files, tables or caches.
 *
 * One statement may run several queries: a MERGE of a Delta table first searches for the files with a
 * match, and then reads and writes these. Spark numbers each query, and states which one started it.
 */
private[spark] final class LastStatement extends SparkListener {

  /** The outermost queries of those that run, by their numbers. */
  private val outermost = mutable.HashMap.empty[Long, Long]

  /** The reports on queries that have ended below an outermost one that runs, with their numbers. */
  private val below = mutable.HashMap.empty[Long, Seq[(Long, PruneReport)]]
  private val ended = mutable.WeakHashMap.empty[SparkSession, PruneReport]

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: SparkListenerSQLExecutionStart =>
      synchronized {
        outermost(start.executionId) = start.rootExecutionId.getOrElse(start.executionId)
      }
    case end: SparkListenerSQLExecutionEnd =>
      SparkInternals.queryOf(end).foreach(onEnd(end.executionId, _))
    case _ =>
  }

  /** Numbers ascend, so the queries that a query has started have greater ones and end before it. */
  private def onEnd(number: Long, query: QueryExecution): Unit = {
    val found = reportOn(query)
    synchronized {
      val outer = outermost.remove(number).getOrElse(number)
      val (started, others) = below.remove(outer).getOrElse(Nil).partition(_._1 > number)
      val report =
        started.map(_._2).reduceOption(_ ++ _).fold(found)(_ ++ found.onlyPruned)
      if (!report.isEmpty) ended(query.sparkSession) = report
      // a batch of a stream is a query as well, whose function may run statements
      val left = if (report.isEmpty) others else others :+ (number -> report)
      if (number != outer) below(outer) = left
    }
  }

  private def reportOn(query: QueryExecution): PruneReport =
    try PruneReport.of(query)
    catch {
      case RecoverableError(e) =>
        LogOnce.once(
          s"last statement: ${e.getClass.getName}",
          "the last statement of a session has no report",
          e)
        PruneReport(isEnabled = true, Nil, Nil)
    }

  def of(session: SparkSession): Option[PruneReport] = synchronized(ended.get(session))
}

private[spark] object LastStatement {
  private var watched = Option.empty[(WeakReference[SparkContext], LastStatement)]

  /** Remembers the statements of all sessions of an application from now on. */
  def watch(context: SparkContext): Unit = synchronized {
    if (!watched.exists { case (known, _) => known.get eq context }) {
      val statements = new LastStatement
      context.addSparkListener(statements)
      watched = Some((new WeakReference(context), statements))
    }
  }

  /**
   * Returns the report on the session's last statement, None if none has read anything. Waits until
   * Spark has reported all queries that have ended.
   */
  def of(session: SparkSession): Option[PruneReport] = {
    SparkInternals.awaitListeners(session.sparkContext)
    synchronized(watched).flatMap { case (_, statements) => statements.of(session) }
  }
}
