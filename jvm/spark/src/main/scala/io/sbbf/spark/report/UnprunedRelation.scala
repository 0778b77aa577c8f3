package io.sbbf.spark.report

import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.delta.DeltaRelation
import io.sbbf.spark.files.{FileColumns, ScanColumns, SourceFormat}
import io.sbbf.spark.iceberg.{IcebergColumns, IcebergScan}
import io.sbbf.spark.scan.PrunedRelation
import io.sbbf.spark.util.SbbfConf

/**
 * A relation that Spark reads as without the extension, and the reason. Holds no value of the
 * query.
 */
private[spark] final case class UnprunedRelation(name: String, reason: String)

private[spark] object UnprunedRelation {
  private val Off = "spark-sbbf is off in this session"
  private val NoEvidence = "it reads no Parquet file of rows"
  private val NoIndex =
    "it has no index that was built with the same options, schema and settings"
  private val PruningFailed = "pruning failed, see the driver's log"

  /**
   * Returns None for a relation without files, tables or a cache behind it.
   *
   * @param leaf a relation that was not pruned
   * @param observesSplits whether the query can see how files are cut into splits
   */
  def of(
      leaf: LogicalPlan,
      filters: Option[Seq[Expression]],
      observesSplits: => Boolean,
      conf: SQLConf): Option[UnprunedRelation] =
    leaf match {
      case relation: LogicalRelation =>
        relation.relation match {
          case files: HadoopFsRelation =>
            val reason = reasonOf(files, relation, filters, conf)
            Some(UnprunedRelation(files.location.rootPaths.mkString(", "), reason))
          case _ => None
        }
      case v2: DataSourceV2ScanRelation =>
        Some(UnprunedRelation(v2.name, reasonOf(v2, filters, observesSplits, conf)))
      case hive: HiveTableRelation =>
        Some(
          UnprunedRelation(
            hive.tableMeta.identifier.unquotedString,
            "read by Hive's own reader (see spark.sql.hive.convertMetastoreParquet)"))
      case cached: InMemoryRelation =>
        // the cache's own name may be another user's view, or the query with its values
        val columns = cached.output.map(_.name).mkString(", ")
        Some(UnprunedRelation(s"cached relation of $columns", "cached by the session"))
      case _ => None
    }

  private def reasonOf(
      relation: DataSourceV2ScanRelation,
      filters: Option[Seq[Expression]],
      observesSplits: => Boolean,
      conf: SQLConf): String =
    relation.scan match {
      case _: ParquetScan =>
        "read through DataSource V2, as spark.sql.sources.useV1SourceList lacks parquet"
      case scan if !IcebergScan.isKnown(scan) =>
        s"read through DataSource V2: ${planner(scan)}"
      case _ if !SbbfConf.Iceberg.get(conf) => s"${SbbfConf.Iceberg.key} is false"
      case _ if observesSplits => "the query sees how files are cut into splits"
      case scan =>
        try ofIceberg(IcebergScan.of(scan), filters, relation.output, conf)
        catch {
          case RecoverableError(_) =>
            s"read by an unknown version of Iceberg: ${planner(scan)}"
        }
    }

  private def ofIceberg(
      scan: IcebergScan,
      filters: Option[Seq[Expression]],
      output: Seq[Attribute],
      conf: SQLConf): String =
    if (filters.nonEmpty && SbbfConf.Enabled.get(conf) && !scan.hasEvidence) NoEvidence
    else reasonOf(filters, new IcebergColumns(scan), output, conf)

  private def reasonOf(
      files: HadoopFsRelation,
      scan: LogicalRelation,
      filters: Option[Seq[Expression]],
      conf: SQLConf): String =
    files.fileFormat match {
      case _ if scan.isStreaming => "a streaming source"
      case _ if DeltaRelation.isDelta(files) && !DeltaRelation.listsDataFiles(files.location) =>
        s"a read of a Delta table that is not pruned: ${planner(files.location)}"
      case _ if DeltaRelation.isDelta(files) && !SbbfConf.Delta.get(conf) =>
        s"${SbbfConf.Delta.key} is false"
      case format: ParquetFileFormat if !hasPrunableFormat(files) =>
        s"a Parquet table of another kind: ${planner(format)}"
      case format if SourceFormat.isOrc(format) && !SbbfConf.Orc.get(conf) =>
        s"${SbbfConf.Orc.key} is false"
      case format if format.isInstanceOf[ParquetFileFormat] || SourceFormat.isOrc(format) =>
        reasonOf(filters, new ScanColumns(files), scan.output, conf)
      case format if SourceFormat.needsIndex(format) && !SbbfConf.Index.get(conf) =>
        s"${SbbfConf.Index.key} is false"
      case format if SourceFormat.needsIndex(format) =>
        try
          if (new PrunedRelation(files, conf).hasEvidence)
            reasonOf(filters, new ScanColumns(files), scan.output, conf)
          else NoIndex
        catch { case RecoverableError(_) => PruningFailed }
      case _ => "not a scan of files of a supported format"
    }

  private def reasonOf(
      filters: Option[Seq[Expression]],
      columns: => FileColumns,
      output: Seq[Attribute],
      conf: SQLConf): String =
    filters.fold("no filter reaches the scan") { conjuncts =>
      val why =
        if (!SbbfConf.Enabled.get(conf)) Off
        else if (columns.predicate(conjuncts, output).canPruneByFiles) PruningFailed
        else ScanPruning.NoUsableLeaf
      (why +: columns.unused(conjuncts, output)).mkString("; ")
    }

  private def hasPrunableFormat(files: HadoopFsRelation): Boolean =
    files.fileFormat.getClass == classOf[ParquetFileFormat] || DeltaRelation.isDelta(files)

  private def planner(source: Any): String =
    s"${source.getClass.getSimpleName} plans its files by itself"
}
