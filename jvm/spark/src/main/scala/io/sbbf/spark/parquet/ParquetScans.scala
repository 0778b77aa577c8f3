package io.sbbf.spark.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.prune.{FileEvaluators, FooterCache, ParquetEvaluators}
import io.sbbf.spark.files.{FilesFormat, FootersJob, PrunedFileIndex, SourceFormat}
import io.sbbf.spark.util.LogOnce

/** Scans of Parquet files by Spark's own format. */
private[spark] object ParquetScans extends FilesFormat {

  override def recognizes(files: HadoopFsRelation): Boolean =
    files.fileFormat.isInstanceOf[ParquetFileFormat]

  override def whyNever(files: HadoopFsRelation, conf: SQLConf): Option[String] =
    if (SourceFormat.isParquet(files.fileFormat)) None
    else {
      val planner = files.fileFormat.getClass.getSimpleName
      Some(s"a Parquet table of another kind: $planner plans its files by itself")
    }

  override def withIndex(
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): HadoopFsRelation =
    files.fileFormat match {
      case ours: PrunedParquetFormat =>
        SparkInternals.withFiles(files, index, ours.of(index))
      case _ if swapsFormat(files, conf) =>
        val format = new PrunedParquetFormat(index, index.preserveSplits, hasRuntimeFilters)
        SparkInternals.withFiles(files, index, format)
      case _ => withReadPolicy(files, index, conf, hasRuntimeFilters)
    }

  override def canSelectRows: (HadoopFsRelation, SQLConf) => Boolean = swapsFormat

  override def selectingRows: (HadoopFsRelation, Seq[Expression]) => HadoopFsRelation =
    (files, filters) =>
      files.fileFormat match {
        case format: PrunedParquetFormat =>
          files.copy(fileFormat = format.selecting(filters))(files.sparkSession)
        case _ => files
      }

  override def decidesByOptions: Boolean = true

  override protected def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): Option[FileEvaluators] =
    Some(evaluators(files, hadoopConf, conf, checksVersions = true))

  /** @param checksVersions as for [[ParquetEvaluators]] */
  def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf,
      checksVersions: Boolean): FileEvaluators =
    new ParquetEvaluators(
      hadoopConf,
      FileStore.hadoop(hadoopConf),
      FooterCache.shared,
      LogOnce,
      checksVersions,
      FootersJob.of(files, hadoopConf, conf))
}
