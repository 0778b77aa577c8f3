package io.sbbf.spark.files

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.time.LocalDate
import java.time.zone.ZoneRulesProvider
import java.util.{Locale, TimeZone}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Identifies how a table is read, as far as that decides on the values of its files: by Spark's
 * version, the format, its options, the schema, the settings that readers follow, and the time zone
 * if a column's values depend on one.
 *
 * The settings are those of the session of the table, which makes the readers, and those of the
 * session that runs, which the readers find in their tasks.
 *
 * Two reads with equal fingerprints find equal values in a file. Reads with different ones may do
 * so, and are treated as different.
 */
private[spark] object ReadFingerprint {

  /** Returns how a scan reads files, once it is needed; None for Parquet files. */
  def ofScan(table: HadoopFsRelation): Option[() => String] =
    if (SourceFormat.isIndexedByFile(table.fileFormat)) Some(() => of(table)) else None

  /** Returns the name of the format and a SHA-256, because options may hold secrets. */
  def of(table: HadoopFsRelation): String = {
    val format = SourceFormat.nameOf(table.fileFormat)
    // ORC converts the timestamps of a file to texts and numbers by the time zone
    val needsZone = SourceFormat.isOrc(table.fileFormat) ||
      !table.dataSchema.forall(f => isZoneless(f.dataType))
    val parts = Seq(
      Seq(table.sparkSession.version, format),
      sorted(options(table.options)),
      Seq(table.dataSchema.json, table.partitionSchema.fieldNames.mkString("\n")),
      sorted(hadoopSettings(table)),
      if (needsZone) zone(table) else Nil
    ) ++ Seq(table.sparkSession.sessionState.conf, SQLConf.get).flatMap { conf =>
      Seq(
        Seq(conf.ansiEnabled.toString, conf.caseSensitiveAnalysis.toString),
        sorted(conf.getAllConfs.filter { case (key, value) =>
          decides(key, format) && !isDefault(key, value)
        }),
        if (needsZone) Seq(conf.sessionLocalTimeZone, today(conf)) else Nil
      )
    }
    // lengths separate the parts, which may hold any characters
    val text =
      parts.map(part => s"${part.size}:${part.map(p => s"${p.length}:$p").mkString}").mkString
    val digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))
    s"$format-${digest.map(b => f"$b%02x").mkString}"
  }

  /** What decides on the time zones of the driver and the executors, and the version of their rules. */
  private def zone(table: HadoopFsRelation): Seq[String] = {
    val conf = table.sparkSession.sparkContext.getConf
    val ofExecutors = Seq(
      "spark.executor.defaultJavaOptions",
      "spark.executor.extraJavaOptions",
      "spark.executorEnv.TZ").map(conf.get(_, ""))
    TimeZone.getDefault.getID +: ZoneRulesProvider.getVersions("UTC").lastKey +: ofExecutors
  }

  /** The parsers of old versions find the century of a year of two digits by the day. */
  private def today(conf: SQLConf): String =
    if (conf.legacyTimeParserPolicy.toString == "LEGACY") LocalDate.now.toString else ""

  private def options(all: Map[String, String]): Map[String, String] =
    all
      .map { case (key, value) =>
        key.toLowerCase(Locale.ROOT) -> Option(value).getOrElse(NoValue)
      }
      .filterNot { case (key, _) => FileOptions(key) }

  /** Stands for null, which an option may be. */
  private final val NoValue = "\u0000"

  /** Options that select files, and what a catalog adds to each table. */
  private val FileOptions = Set(
    "path",
    "paths",
    "basepath",
    "pathglobfilter",
    "recursivefilelookup",
    "modifiedbefore",
    "modifiedafter",
    "ignorecorruptfiles",
    "ignoremissingfiles",
    "serialization.format"
  )

  private def decides(key: String, format: String): Boolean =
    key.startsWith(s"spark.sql.$format.") || Prefixes.exists(key.startsWith)

  private def isDefault(key: String, value: String): Boolean =
    Try((new SQLConf).getConfString(key)).toOption.contains(value)

  private val Prefixes = Seq(
    "spark.sql.legacy.",
    "spark.sql.ansi.",
    "spark.sql.defaultColumn.",
    "spark.sql.columnNameOfCorruptRecord",
    "spark.sql.timestampType",
    "spark.sql.charAsVarchar",
    "spark.sql.execution.datasources.",
    "spark.sql.files.archive.",
    "spark.sql.files.ignoredPathSegmentRegex",
    "spark.sql.readSideCharPadding",
    "spark.sql.preserveCharVarcharTypeInfo",
    "spark.sql.variant.",
    "spark.sql.collation."
  )

  /** Settings of Hadoop that readers of lines, ORC and Avro follow. */
  private def hadoopSettings(table: HadoopFsRelation): Map[String, String] =
    table.sparkSession.sessionState
      .newHadoopConfWithOptions(table.options)
      .iterator
      .asScala
      .map(entry => entry.getKey -> entry.getValue)
      .filter { case (key, _) => HadoopPrefixes.exists(key.startsWith) }
      .toMap

  private val HadoopPrefixes =
    Seq("orc.", "hive.exec.orc.", "avro.", "mapreduce.input.linerecordreader.", "io.compression.")

  /** Dates count as dependent, because old parsers find them through instants. */
  private def isZoneless(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType | BooleanType | _: NumericType => true
    case _ => false
  }

  private def sorted(entries: Map[String, String]): Seq[String] =
    entries.toSeq.sorted.flatMap { case (key, value) => Seq(key, value) }
}
