package io.sbbf.spark.advise

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.parquet.append.TableFormatDetector
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.scan.{PointLookupStats, QueryHistory}
import io.sbbf.spark.table.{LakeFormat, LakeTable}
import io.sbbf.spark.util.TableFiles

/** The files that advice is about. */
private[advise] sealed abstract class AdvisedFiles {
  def name: String
  def files: Seq[FileStatus]

  /** Returns the files' own store; None if Hadoop opens them. */
  def store: Option[FileStore with Serializable]

  /** Returns the table that names the columns of the files; None if the files do. */
  def sampled: Option[SampledTable]

  /** Returns the format of that table. */
  def format: Option[LakeFormat]

  /** Returns the columns of a request, as the advice names them. */
  def columns(requested: Seq[String]): Seq[String]

  def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts
  def history(): PointLookupStats.Counts
}

/** The files of a path. */
private[advise] final class AdvisedPath(path: String, session: SparkSession)
    extends AdvisedFiles {
  private val hadoopConf = session.sessionState.newHadoopConf()
  private lazy val found = TableFiles.roots(path, hadoopConf)
  private def roots = found.map(_.getPath)

  override def name: String = path

  /** Throws IllegalArgumentException if the files belong to a table with a log. */
  override lazy val files: Seq[FileStatus] = {
    val data = new TableFiles(path, hadoopConf).data
    if (data.nonEmpty) refuseTableFormats()
    data
  }

  private def refuseTableFormats(): Unit =
    for ((folder, kind) <- TableFormatDetector.of(found, hadoopConf))
      throw new IllegalArgumentException(
        s"$path belongs to the $kind table $folder: its reader skips files itself, " +
          "and add_filters does not change them" +
          LakeFormat.named(kind).fold("")(_ => ". Name the table instead of the folder."))

  override def store: Option[FileStore with Serializable] = None
  override def sampled: Option[SampledTable] = None
  override def format: Option[LakeFormat] = None
  override def columns(requested: Seq[String]): Seq[String] = requested

  override def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts =
    PointLookupStats.of(queries, roots)

  override def history(): PointLookupStats.Counts = QueryHistory.of(session, roots)
}

/** The files of a Delta or Iceberg table. */
private[advise] final class AdvisedTable(table: LakeTable, session: SparkSession)
    extends AdvisedFiles {
  private val conf = session.sessionState.conf

  override def name: String = table.name
  override lazy val files: Seq[FileStatus] = table.files
  override lazy val store: Option[FileStore with Serializable] = table.store
  override lazy val sampled: Option[SampledTable] = Some(
    table.sampled(conf.caseSensitiveAnalysis))
  override def format: Option[LakeFormat] = Some(table.format)

  override def columns(requested: Seq[String]): Seq[String] =
    requested.map(table.column(_, conf.resolver).name)

  override def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts =
    table.lookups(queries)

  override def history(): PointLookupStats.Counts = table.history(session)
}
