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

  /** The statements of the queries that run, by the query's number. */
  private val ofQuery = mutable.HashMap.empty[Long, Long]

  /** What is known of the statements that run, by the number of their first query. */
  private val running = mutable.HashMap.empty[Long, PruneReport]
  private val ended = mutable.WeakHashMap.empty[SparkSession, PruneReport]

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: SparkListenerSQLExecutionStart =>
      synchronized {
        ofQuery(start.executionId) = start.rootExecutionId.getOrElse(start.executionId)
      }
    case end: SparkListenerSQLExecutionEnd =>
      SparkInternals.queryOf(end).foreach(onEnd(end.executionId, _))
    case _ =>
  }

  private def onEnd(number: Long, query: QueryExecution): Unit = {
    val found = reportOn(query)
    synchronized {
      val statement = ofQuery.remove(number).getOrElse(number)
      val earlier = running.remove(statement).filterNot(_.isEmpty)
      if (statement != number) running(statement) = earlier.fold(found)(_ ++ found)
      else if (earlier.nonEmpty || !found.isEmpty)
        ended(query.sparkSession) = earlier.fold(found)(_ ++ found.onlyPruned)
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
