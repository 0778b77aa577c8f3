package io.sbbf.spark.util

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.pass.PlanningLimits

/** A configuration key with its documentation, its default and the values that it allows. */
final class SbbfConf[T] private[spark] (
    val key: String,
    val doc: String,
    val default: String,
    val allowed: String,
    convert: String => T,
    valid: T => Boolean) {

  /**
   * Returns the value of `text`.
   *
   * @throws IllegalArgumentException if it is not allowed; names the key and the allowed values
   */
  def parse(text: String): T = {
    val value =
      try Some(convert(text.trim))
      catch { case NonFatal(_) => None }
    value
      .filter(valid)
      .getOrElse(throw new IllegalArgumentException(s"$key must be $allowed, but was '$text'"))
  }

  /** Returns the session's value, or the default if an invalid one was set before registration. */
  def get(conf: SQLConf): T = {
    val text = conf.getConfString(key, default)
    try parse(text)
    catch {
      case e: IllegalArgumentException =>
        LogOnce.once(key, invalid(e))
        parse(default)
    }
  }

  /** Returns the session's value as set, or the reason why it is invalid. */
  def describe(conf: SQLConf): String = {
    val text = conf.getConfString(key, default)
    try { parse(text); text }
    catch { case e: IllegalArgumentException => invalid(e) }
  }

  private def invalid(e: IllegalArgumentException): String =
    s"${e.getMessage}; the default $default applies"
}

/** Defines every configuration key of spark-sbbf. */
object SbbfConf {

  private def flag(key: String, default: Boolean, doc: String): SbbfConf[Boolean] =
    new SbbfConf(key, doc, default.toString, "true or false", OptionText.flag(key, _), _ => true)

  private def count(key: String, default: Int, from: Int, to: Int, doc: String): SbbfConf[Int] =
    new SbbfConf(
      key,
      doc,
      default.toString,
      s"a whole number from $from to $to",
      _.toInt,
      n => n >= from && n <= to)

  private val MostCacheBytes = 1L << 40

  /** Parses a size in bytes, or a percentage of this JVM's heap. */
  private def sizeOrShare(text: String): Long =
    if (!text.endsWith("%")) JavaUtils.byteStringAsBytes(text)
    else {
      val percent = text.dropRight(1).trim.toInt
      require(percent >= 0 && percent <= 90)
      math.min(MostCacheBytes, Runtime.getRuntime.maxMemory / 100 * percent)
    }

  val Enabled: SbbfConf[Boolean] = flag(
    "spark.sbbf.enabled",
    default = true,
    "Whether planning prunes files and row groups. If false, the extension does nothing from the " +
      "next query on."
  )

  val RowGroupPruning: SbbfConf[Boolean] = flag(
    "spark.sbbf.rowGroupPruning.enabled",
    default = true,
    "Whether a subclass of Spark's Parquet format reads only the surviving row groups, and another " +
      "one writes exact filters. Set it to false for native engines that need Spark's own format " +
      "class; planning still prunes whole files."
  )

  val SafeRead: SbbfConf[Boolean] = flag(
    "spark.sbbf.safeRead.enabled",
    default = true,
    "Whether scans withhold from parquet-mr the predicates that would make it lose rows. These " +
      "depend on how each file stores the columns: a file that stores a column as the table " +
      "declares it gets nearly all predicates. If false, parquet-mr evaluates all of them, and " +
      "loses rows as Spark alone does."
  )

  val ExactFilters: SbbfConf[Boolean] = flag(
    "spark.sbbf.exactFilters.enabled",
    default = true,
    "Whether the extension writes the bloom filters of Parquet files. It makes them as small as the " +
      "distinct values of each row group allow, at most as large as `expected.ndv` needs, and " +
      "writes them for dictionary-encoded columns as well. If false, parquet-mr writes them."
  )

  val CacheBytes: SbbfConf[Long] = new SbbfConf(
    "spark.sbbf.cache.maxBytes",
    "Maximum memory that cached footers, filters and dictionaries take on the driver, as a size or " +
      "as a share of its heap. All sessions and formats share one cache.",
    "25%",
    "a size from 0 to 1099511627776 bytes (such as 512m) or a percentage from 0% to 90% (such as 25%)",
    sizeOrShare,
    n => n >= 0L && n <= MostCacheBytes
  )

  val Threads: SbbfConf[Int] = count(
    "spark.sbbf.planning.threads",
    default = 16,
    from = 1,
    to = 256,
    "Maximum number of files that planning reads at once on the driver. Each task of a job that " +
      "reads files reads at most 4 of them at once."
  )

  val SampleFiles: SbbfConf[Int] = count(
    "spark.sbbf.planning.sampleFiles",
    default = 32,
    from = 0,
    to = 1000000,
    "Number of files, spread over partitions and ages, that planning checks first. If they show no " +
      "benefit, planning does not check the others. 0 always checks all files."
  )

  val PlanningSeconds: SbbfConf[Int] = count(
    "spark.sbbf.planning.maxSeconds",
    default = 60,
    from = 0,
    to = 86400,
    "Maximum number of seconds that planning may read the footers and filters of a scan. If the " +
      "first files show that all would take longer, planning keeps those that it has not read. 0 has " +
      "no limit."
  )

  val DistributedFiles: SbbfConf[Int] = count(
    "spark.sbbf.planning.distributedFiles",
    default = 5000,
    from = 0,
    to = 1000000000,
    "Minimum number of Parquet files, about which the cache does not know enough and an index " +
      "nothing, from which a Spark job reads them on executors while a query is planned. The driver " +
      "reads fewer files itself, and all files in local mode. 0 never runs a job."
  )

  val RuntimePruning: SbbfConf[Boolean] = flag(
    "spark.sbbf.runtimePruning.enabled",
    default = true,
    "Whether the keys of joins, and the results of subqueries, prune the scans below them while a " +
      "query runs. Needs Spark's adaptive execution."
  )

  val RuntimeKeys: SbbfConf[Int] = count(
    "spark.sbbf.runtimePruning.maxKeys",
    default = 100000,
    from = 1,
    to = 10000000,
    "Maximum number of keys of a join, or of results of a subquery, that prune a scan. At most four " +
      "times as many rows of the join's smaller side are read to find the keys."
  )

  val Delta: SbbfConf[Boolean] = flag(
    "spark.sbbf.delta.enabled",
    default = true,
    "Whether planning prunes the files of Delta tables."
  )

  val Iceberg: SbbfConf[Boolean] = flag(
    "spark.sbbf.iceberg.enabled",
    default = true,
    "Whether planning prunes the files of Iceberg tables."
  )

  val Orc: SbbfConf[Boolean] = flag(
    "spark.sbbf.orc.enabled",
    default = true,
    "Whether planning prunes the stripes of ORC files."
  )

  val Index: SbbfConf[Boolean] = flag(
    "spark.sbbf.index.enabled",
    default = true,
    "Whether planning searches the indexes of tables. It lists the folder of an index at most once " +
      "in 30 seconds."
  )

  val IndexPath: SbbfConf[String] = new SbbfConf(
    "spark.sbbf.index.path",
    "Folder for the indexes of all tables, for tables that must not be written to. If empty, the " +
      "index of a table is in its own folder.",
    "",
    "empty or an absolute path",
    identity,
    (text: String) => text.isEmpty || new Path(text).isAbsolute
  )

  val PageBytes: SbbfConf[Long] = new SbbfConf(
    "spark.sbbf.pages.minBytes",
    "How many bytes what is left of a file has to take, in a split and on average over the files, for tasks to " +
      "choose among its pages.",
    "8m",
    "a size in bytes (such as 8m)",
    JavaUtils.byteStringAsBytes,
    _ >= 0
  )

  val Pages: SbbfConf[Boolean] = flag(
    "spark.sbbf.pages.enabled",
    default = true,
    "Whether tasks read the columns of a filter first, and of the other columns only the pages with " +
      "rows that may pass it."
  )

  val LocalLookup: SbbfConf[Boolean] = flag(
    "spark.sbbf.localLookup.enabled",
    default = true,
    "Whether the calling thread runs a query that only filters and projects one scan, without a job, " +
      "if little is left to read."
  )

  val all: Seq[SbbfConf[_]] =
    Seq(
      Enabled,
      RowGroupPruning,
      SafeRead,
      ExactFilters,
      CacheBytes,
      Threads,
      SampleFiles,
      PlanningSeconds,
      DistributedFiles,
      RuntimePruning,
      RuntimeKeys,
      Delta,
      Iceberg,
      Orc,
      Index,
      IndexPath,
      Pages,
      PageBytes,
      LocalLookup
    )

  /** Returns the limits of pruning in a session. */
  def limits(conf: SQLConf): PlanningLimits =
    PlanningLimits(
      threads = Threads.get(conf),
      sampleFiles = SampleFiles.get(conf),
      cacheBytes = CacheBytes.get(conf),
      seconds = PlanningSeconds.get(conf)
    )

  def register(): Unit =
    all.foreach(c => SparkInternals.registerConf(c.key, c.doc, c.default, c.parse))

  /** Returns all keys as a Markdown table. */
  def markdown: String =
    all
      .map(c => s"| `${c.key}` | `${c.default}` | ${c.allowed} | ${c.doc} |")
      .mkString("| key | default | allowed | meaning |\n|---|---|---|---|\n", "\n", "\n")
}
