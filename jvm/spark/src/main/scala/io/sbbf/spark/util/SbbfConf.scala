package io.sbbf.spark.util

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.core.kernel.Kernels

/** One configuration key: its text, its default and the values it takes. */
final class SbbfConf[T] private[spark] (
    val key: String,
    val doc: String,
    val default: String,
    val allowed: String,
    convert: String => T,
    valid: T => Boolean) {

  /** Throws IllegalArgumentException, naming the key and the allowed range, for a value outside it. */
  def parse(text: String): T = {
    val value =
      try Some(convert(text.trim))
      catch { case NonFatal(_) => None }
    value
      .filter(valid)
      .getOrElse(throw new IllegalArgumentException(s"$key must be $allowed, but was '$text'"))
  }

  /** The session's value; a bad one that was set before the extension was there counts as the default. */
  def get(conf: SQLConf): T = {
    val text = conf.getConfString(key, default)
    try parse(text)
    catch {
      case e: IllegalArgumentException =>
        LogOnce.once(key, s"${e.getMessage}; the default $default is used")
        parse(default)
    }
  }

  /** The session's value as it is written, or what is wrong with it. */
  def told(conf: SQLConf): String = {
    val text = conf.getConfString(key, default)
    try { parse(text); text }
    catch { case e: IllegalArgumentException => s"${e.getMessage}; the default $default is used" }
  }
}

/** Every key of spark-sbbf, each defined once. */
object SbbfConf {

  private def flag(key: String, default: Boolean, doc: String): SbbfConf[Boolean] =
    new SbbfConf(
      key,
      doc,
      default.toString,
      "true or false",
      _.toLowerCase(Locale.ROOT).toBoolean,
      _ => true)

  private def count(key: String, default: Int, from: Int, to: Int, doc: String): SbbfConf[Int] =
    new SbbfConf(
      key,
      doc,
      default.toString,
      s"a whole number from $from to $to",
      _.toInt,
      n => n >= from && n <= to)

  private def bytes(
      key: String,
      default: String,
      from: Long,
      to: Long,
      doc: String): SbbfConf[Long] =
    new SbbfConf(
      key,
      doc,
      default,
      s"a size from $from to $to bytes (such as $default)",
      JavaUtils.byteStringAsBytes,
      n => n >= from && n <= to)

  val Enabled: SbbfConf[Boolean] = flag(
    "spark.sbbf.enabled",
    default = true,
    "Whether row groups are pruned at plan time. Off switches everything off, from the next query on.")

  val FormatEnabled: SbbfConf[Boolean] = flag(
    "spark.sbbf.format.enabled",
    default = true,
    "Whether files are read through a thin subclass of Spark's Parquet format that reads only the surviving " +
      "row groups, and written with exact filters through another. Off, for native engines that want the stock format " +
      "class, whole files are still pruned."
  )

  val SafeRead: SbbfConf[Boolean] = flag(
    "spark.sbbf.safeRead",
    default = true,
    "Whether scans withhold from parquet-java the predicates at which it would lose rows. Which those are depends on how " +
      "each file stores the columns: a file that stores a column as the table declares it gets nearly all predicates. Off, " +
      "parquet-java checks all of them, and loses rows as Spark alone does."
  )

  val ExactFilters: SbbfConf[Boolean] = flag(
    "spark.sbbf.exactFilters",
    default = true,
    "Whether Parquet files that are written with bloom filters get them as small as the distinct values of each row " +
      "group allow, at most as large as `expected.ndv` needs, and also for dictionary-encoded columns. Off, parquet-java writes them."
  )

  val CacheBytes: SbbfConf[Long] = bytes(
    "spark.sbbf.cache.maxBytes",
    "256m",
    0L,
    1L << 40,
    "The most memory that footers and filters may take on the driver. All sessions share one cache.")

  val Threads: SbbfConf[Int] = count(
    "spark.sbbf.planning.threads",
    default = 16,
    from = 1,
    to = 256,
    "How many files are read at once, at most, while a query is planned.")

  val SampleFiles: SbbfConf[Int] = count(
    "spark.sbbf.planning.sampleFiles",
    default = 32,
    from = 0,
    to = 1000000,
    "How many files, spread over partitions and ages, are asked first; where they give nothing the others are " +
      "not asked. 0 asks all files always."
  )

  val TailBytes: SbbfConf[Long] = bytes(
    "spark.sbbf.planning.tailBytes",
    "64k",
    1024L,
    64L << 20,
    "How much of a file's end is read at once; a footer, and filters before it, that fit need no second read."
  )

  val Kernel: SbbfConf[Kernels.Mode] = new SbbfConf(
    "spark.sbbf.kernel",
    "What hashes and asks filters: plain code (`scalar`), the Java Vector API where the JVM was started with " +
      "`--add-modules=jdk.incubator.vector` and the CPU suits (`vector`), or plain code until there is work enough " +
      "for the faster of both (`auto`). All sessions of a JVM share the last one set; the system property " +
      "`sbbf.kernel` sets the default. Answers are the same.",
    Kernels.Mode.Auto.text,
    Kernels.Mode.all.map(_.text).mkString("one of ", ", ", ""),
    Kernels.Mode.of,
    _ => true
  )

  val all: Seq[SbbfConf[_]] =
    Seq(
      Enabled,
      FormatEnabled,
      SafeRead,
      ExactFilters,
      CacheBytes,
      Threads,
      SampleFiles,
      TailBytes,
      Kernel)

  def register(): Unit =
    all.foreach(c => SparkInternals.registerConf(c.key, c.doc, c.default, c.parse))

  /** All keys as a Markdown table. */
  def markdown: String =
    all
      .map(c => s"| `${c.key}` | `${c.default}` | ${c.allowed} | ${c.doc} |")
      .mkString("| key | default | allowed | meaning |\n|---|---|---|---|\n", "\n", "\n")
}
