package io.sbbf.spark.source

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.prune.FileEvaluators
import io.sbbf.spark.files.{FilesFormat, PrunedFileIndex, SourceFormat}
import io.sbbf.spark.util.SbbfConf

/** Scans of files that hold no evidence, such as CSV: an index of the table rules out whole files. */
private[spark] object SourceScans extends FilesFormat {

  override def recognizes(files: HadoopFsRelation): Boolean =
    SourceFormat.needsIndex(files.fileFormat)

  override def whyNever(files: HadoopFsRelation, conf: SQLConf): Option[String] =
    if (SbbfConf.Index.get(conf)) None else Some(s"${SbbfConf.Index.key} is false")

  override def needsIndex: Boolean = true

  /** Options are a part of how files are read, and those of parquet-mr do not concern these. */
  override def withIndex(
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): HadoopFsRelation =
    SparkInternals.withFiles(files, index, files.fileFormat)

  override protected def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): Option[FileEvaluators] = None
}
