package io.sbbf.spark.write

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.util.LogOnce

/**
 * Has streams write Parquet files by [[ExactParquetFormat]]. The sink of a stream shows in no plan that rules see, and
 * hands its format to the writer itself: the format is changed in the sink, when the first batch is planned.
 */
private[spark] object StreamSinks {

  /**
   * Of the stream whose batch this thread plans, if it does. Trouble is warned about once, and the stream is written
   * as by stock Spark, which takes filters from the session's settings only.
   *
   * @param isWanted asked of the sink's options
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
              ) // once, as each batch would list all files
            new ExactParquetFormat(() => size)
          } else format
        }
      }
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        LogOnce.once(
          "streams",
          "What streams write to Parquet files has the bloom filters of stock Spark, as the session's settings " +
            "ask for them, for the format of a stream's sink could not be changed",
          e
        )
    }

  /** `StreamExecution.QUERY_ID_KEY`, which the stream's own thread has. */
  private def streamOf(session: SparkSession): Option[UUID] =
    Option(session.sparkContext.getLocalProperty("sql.streaming.queryId")).map(UUID.fromString)
}
