package io.sbbf.spark.write

import java.util.UUID

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.util.LogOnce

/**
 * Finds the writers of streams. Makes them write Parquet files with [[ExactParquetFormat]]: the sink
 * of a stream is in no plan that rules see, and it passes its format to the writer itself. The format
 * is therefore replaced in the sink, when the first batch is planned.
 */
private[spark] object StreamSinks {

  /**
   * Replaces the format of the stream whose batch this thread plans, if there is one. If that
   * fails, logs one warning, and the stream is written by Spark alone, which takes filters from
   * the session's settings only.
   *
   * @param isWanted whether a sink with these options gets exact filters
   */
  def makeExact(session: SparkSession, isWanted: Map[String, String] => Boolean): Unit =
    try
      streamOf(session).foreach { id =>
        SparkInternals.changeSinkFormat(session, id) { case (folder, format, options) =>
          if (format.getClass == classOf[ParquetFileFormat] && isWanted(options)) {
            lazy val size =
              TableSize.of(
                new Path(folder),
                session.sessionState.newHadoopConf()
              ) // lazy, as each batch would list all files
            new ExactParquetFormat(() => size)
          } else format
        }
      }
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        LogOnce.once(
          "streams",
          "Parquet files of streams get Spark's own bloom filters, by the session's settings, " +
            "because the format of a stream's sink could not be changed",
          e
        )
    }

  /** Returns what the stream whose batch this thread plans writes to, and the options of its writer. */
  def writer(session: SparkSession): Option[(AnyRef, Map[String, String])] =
    Try(streamOf(session).flatMap(SparkInternals.writerOf(session, _))).toOption.flatten

  /** Returns `StreamExecution.QUERY_ID_KEY`, which the stream's own thread has. */
  private def streamOf(session: SparkSession): Option[UUID] =
    Option(session.sparkContext.getLocalProperty("sql.streaming.queryId")).map(UUID.fromString)
}
