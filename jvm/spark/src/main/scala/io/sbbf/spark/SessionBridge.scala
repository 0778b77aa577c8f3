package io.sbbf.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.spark.append.{AddFiltersJob, AddFiltersRequest}
import io.sbbf.spark.report.PruneReport

/**
 * What the Python package calls of a classic session and SQL cannot reach; needs no more than an instance, from
 * whichever class loader has the JAR. All else goes through the catalog.
 */
final class SessionBridge {
  private object listener extends AddFiltersJob.ProgressListener {
    @volatile var done = 0L
    @volatile var all = 0L
    @volatile var stopped = false

    override def isCancelled: Boolean = stopped

    override def onProgress(done: Long, all: Long): Unit = {
      this.all = all
      this.done = done
    }
  }

  /** What was pruned of a query, as JSON; see the Python class that reads it. Plans the query if need be. */
  def explain(query: QueryExecution): String = PruneReport.json(query)

  /** Changes the filters of existing files; a JSON object for each, a line each. */
  def attach(session: SparkSession, options: util.Map[String, String]): String =
    new AddFiltersJob(session, AddFiltersRequest.parse(options.asScala.toMap), listener)
      .run()
      .map(_.json)
      .mkString("\n")

  /** Bytes read and written so far by [[attach]]. */
  def attached: Long = listener.done

  /** Bytes that [[attach]] is to read and write, 0 as long as it does not know. */
  def toAttach: Long = listener.all

  /** Has [[attach]] begin with no more files. */
  def stopAttach(): Unit = listener.stopped = true
}
