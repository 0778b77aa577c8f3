package io.sbbf.spark.report

import java.lang.ref.WeakReference

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
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
 * match, and then reads and writes these. Spark numbers each query, and states the outermost one that
 * has started it. Statements that fail do not count.
 */
private[spark] final class LastStatement extends SparkListener {
  import LastStatement.MostQueries

  /** The outermost queries of those that run, by their numbers. */
  private val outermost = mutable.HashMap.empty[Long, Long]

  /**
   * The reports on queries that have ended below an outermost one that runs, with their numbers. Numbers
   * ascend: what a query has started has a greater one, and ends before it. Of queries that run at the
   * same time below one, nothing says which has started which.
   */
  private val below = mutable.HashMap.empty[Long, Seq[(Long, PruneReport)]]
  private val ended = mutable.WeakHashMap.empty[SparkSession, PruneReport]

  /** Spark stops the application for some errors of a listener. */
  override def onOtherEvent(event: SparkListenerEvent): Unit =
    try
      event match {
        case start: SparkListenerSQLExecutionStart => onStart(start)
        case end: SparkListenerSQLExecutionEnd => onEnd(end)
        case _ =>
      }
    catch {
      case RecoverableError(e) =>
        LogOnce.once(
          s"last statement: ${e.getClass.getName}",
          "a statement has no report for explain_last",
          e)
    }

  private def onStart(start: SparkListenerSQLExecutionStart): Unit = synchronized {
    outermost(start.executionId) = start.rootExecutionId.getOrElse(start.executionId)
  }

  private def onEnd(end: SparkListenerSQLExecutionEnd): Unit = {
    val number = end.executionId
    val outer = synchronized(outermost.remove(number)).getOrElse(number)
    // Spark would plan a query that has failed again
    val query = SparkInternals.queryOf(end).filter(_ => end.errorMessage.forall(_.isEmpty))
    val ownReport = query.map(PruneReport.ofEnded(_).copy(statement = Some(number)))
    synchronized {
      val (started, others) = below.remove(outer).getOrElse(Nil).partition(_._1 > number)
      val report =
        ownReport.map(own =>
          started.map(_._2).reduceOption(_ ++ _).fold(own)(_ ++ own.onlyPruned))
      for (q <- query; said <- report if !said.isEmpty) ended(q.sparkSession) = said
      // a batch of a stream is a query as well, whose function may run statements; a thread may keep the
      // number of a query that has ended
      if (number != outer && outermost.contains(outer))
        below(outer) =
          (others ++ report.filterNot(_.isEmpty).map(number -> _)).takeRight(MostQueries)
    }
  }

  def of(session: SparkSession): Option[PruneReport] = synchronized(ended.get(session))
}

private[spark] object LastStatement {

  /** The most queries of a statement in its report. */
  private final val MostQueries = 100
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
   * Spark has reported all queries that have ended, if that is soon.
   */
  def of(session: SparkSession): Option[PruneReport] = {
    SparkInternals.awaitListeners(session.sparkContext)
    synchronized(watched).flatMap { case (_, statements) => statements.of(session) }
  }
}
