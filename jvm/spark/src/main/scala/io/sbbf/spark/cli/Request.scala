package io.sbbf.spark.cli

import java.io.InputStream

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.util.CommandOption

/**
 * A request of the Python command.
 *
 * @param options the options of the command; those of `list` are the options of `format("sbbf")`
 * @param settings the settings of Spark, as in spark-defaults.conf
 */
private[cli] final case class Request(
    options: Map[String, String],
    settings: Map[String, String]) {

  /** The SQL configuration of a session with these settings. */
  lazy val conf: SQLConf = {
    val conf = new SQLConf
    settings.foreach { case (key, value) => conf.setConfString(key, value) }
    conf
  }

  lazy val hadoopConf: Configuration = {
    val hadoopConf = SparkInternals.hadoopConf(settings)
    settings.foreach { case (key, value) => hadoopConf.set(key, value) }
    hadoopConf
  }
}

private[cli] object Request {

  /**
   * Reads a JSON object with the objects `options` and `settings`. It comes from a pipe, because
   * both may hold secrets.
   */
  def read(input: InputStream): Request = {
    val tree = new ObjectMapper().readTree(input)
    Request(CommandOption.texts(tree.get("options")), CommandOption.texts(tree.get("settings")))
  }
}
