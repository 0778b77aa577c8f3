package io.sbbf.spark

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.spark.append.{AddFiltersJob, AddFiltersRequest}
import io.sbbf.spark.index.{IndexCommand, IndexRequest}
import io.sbbf.spark.report.PruneReport

/**
 * Gives the Python package what SQL cannot offer in a classic session. Python needs only an
 * instance, from any class loader that has the JAR. Everything else goes through the catalog.
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

  /**
   * Returns what pruning did to a query, as JSON that a Python class reads. Plans the query if it
   * is not planned yet.
   */
  def explain(query: QueryExecution): String = PruneReport.json(query)

  /** Changes the filters of existing files and returns one line of JSON for each file. */
  def changeFilters(session: SparkSession, options: JMap[String, String]): String =
    new AddFiltersJob(session, AddFiltersRequest.parse(options.asScala.toMap), listener)
      .run()
      .map(_.json)
      .mkString("\n")

  /** Indexes the files that a table's index does not know, and returns one line of JSON. */
  def changeIndex(session: SparkSession, options: JMap[String, String]): String =
    IndexCommand.run(session, IndexRequest.parse(options.asScala.toMap)).json

  /** Deletes the index of a table, and returns its size in bytes. */
  def dropIndex(session: SparkSession, table: String): Long = IndexCommand.drop(session, table)

  /** Returns the bytes that [[changeFilters]] has read and written so far. */
  def doneBytes: Long = listener.done

  /** Returns the bytes that [[changeFilters]] has to read and write, 0 until they are known. */
  def totalBytes: Long = listener.all

  /** Stops [[changeFilters]] from starting further files. */
  def cancel(): Unit = listener.stopped = true
}
