package io.sbbf.spark.orc

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.prune.OrcEvaluators
import io.sbbf.parquet.prune.{FileEvaluators, FooterCache}
import io.sbbf.spark.files.{FilesFormat, PrunedFileIndex, SourceFormat}
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/** Scans of ORC files by Spark's own format. */
private[spark] object OrcScans extends FilesFormat {

  override def recognizes(files: HadoopFsRelation): Boolean =
    SourceFormat.isOrc(files.fileFormat)

  override def whyNever(files: HadoopFsRelation, conf: SQLConf): Option[String] =
    if (SbbfConf.Orc.get(conf)) None else Some(s"${SbbfConf.Orc.key} is false")

  override def withIndex(
      files: HadoopFsRelation,
      index: PrunedFileIndex,
      conf: SQLConf,
      hasRuntimeFilters: Boolean): HadoopFsRelation =
    if (swapsFormat(files, conf)) {
      val format = new PrunedOrcFormat(index, index.preserveSplits)
      SparkInternals.withFiles(files, index, format)
    } else withReadPolicy(files, index, conf, hasRuntimeFilters)

  override protected def evaluators(
      files: HadoopFsRelation,
      hadoopConf: Configuration,
      conf: SQLConf): Option[FileEvaluators] = {
    val schema = ReadSchema(
      files.dataSchema.map(field => (field.name, field.dataType.catalogString)),
      OrcConf.FORCE_POSITIONAL_EVOLUTION.getBoolean(hadoopConf))
    Some(new OrcEvaluators(hadoopConf, schema, FooterCache.shared, LogOnce))
  }
}
