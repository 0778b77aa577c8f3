package io.sbbf.spark

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.spark.append.AddFiltersJob
import io.sbbf.spark.command.Command
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.util.{CommandOption, JsonRow}

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
  def explain(query: QueryExecution): String = PruneReport.of(query).json

  /**
   * Runs a command and returns one line of JSON for each row.
   *
   * @param options a JSON object
   */
  def run(session: SparkSession, name: String, options: String): String = {
    val command = Command.named(name)
    command
      .run(session, CommandOption.texts(new ObjectMapper().readTree(options)), listener)
      .map(JsonRow(command.schema, _))
      .mkString("\n")
  }

  /** Returns the bytes that [[run]] has read and written so far. */
  def doneBytes: Long = listener.done

  /** Returns the bytes that [[run]] has to read and write, 0 until they are known. */
  def totalBytes: Long = listener.all

  /** Stops [[run]] from starting further files. */
  def cancel(): Unit = listener.stopped = true
}
