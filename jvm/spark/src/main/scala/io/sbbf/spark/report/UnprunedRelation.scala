package io.sbbf.spark.report

import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.files.FileRelation
import io.sbbf.spark.scan.PrunableScan
import io.sbbf.spark.util.SbbfConf

/**
 * A relation that Spark reads as without the extension, and the reason. Holds no value of the
 * query.
 */
private[spark] final case class UnprunedRelation(name: String, reason: String)

private[spark] object UnprunedRelation {
  private val Off = "spark-sbbf is off in this session"
  private val PruningFailed = "pruning failed, see the driver's log"
  private val NotPruned =
    "nothing that is known rules out its files: explain the query for the reason"

  /**
   * Returns None for a relation without files, tables or a cache behind it.
   *
   * @param leaf a relation that was not pruned
   * @param scan its scan, None if no format that is pruned has it
   * @param observesSplits whether the query can see how files are cut into splits
   * @param mayRead whether the reason may come from a store
   */
  def of(
      leaf: LeafNode,
      scan: Option[PrunableScan],
      filters: Option[Seq[Expression]],
      observesSplits: => Boolean,
      conf: SQLConf,
      mayRead: Boolean): Option[UnprunedRelation] =
    scan
      .map { known =>
        val reason =
          known.whyNever(observesSplits).getOrElse(whyNotNow(known, leaf, filters, conf, mayRead))
        UnprunedRelation(known.name, reason)
      }
      .orElse(ofOthers(leaf))

  private def ofOthers(leaf: LeafNode): Option[UnprunedRelation] = leaf match {
    case FileRelation(_, files) =>
      Some(
        UnprunedRelation(
          files.location.rootPaths.mkString(", "),
          "not a scan of files of a supported format"))
    case v2: DataSourceV2ScanRelation if v2.scan.isInstanceOf[LocalScan] => None
    case v2: DataSourceV2ScanRelation =>
      val reason = v2.scan match {
        case _: ParquetScan => "as spark.sql.sources.useV1SourceList lacks parquet"
        case other => s"${other.getClass.getSimpleName} plans its files by itself"
      }
      val by = if (v2.scan.isInstanceOf[ParquetScan]) ", " else ": "
      Some(UnprunedRelation(v2.name, s"read through DataSource V2$by$reason"))
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

  private def whyNotNow(
      scan: PrunableScan,
      leaf: LeafNode,
      filters: Option[Seq[Expression]],
      conf: SQLConf,
      mayRead: Boolean): String =
    filters.fold("no filter reaches the scan") { conjuncts =>
      val isOn = SbbfConf.Enabled.get(conf)
      try {
        val noEvidence = if (isOn && mayRead) scan.whyNoEvidence else None
        noEvidence.getOrElse {
          val why =
            if (!isOn) Off
            else if (scan.columns.predicate(conjuncts, leaf.output).canPruneByFiles)
              if (mayRead) PruningFailed else NotPruned
            else ScanPruning.NoUsableLeaf
          (why +: scan.columns.unused(conjuncts, leaf.output)).mkString("; ")
        }
      } catch { case RecoverableError(_) => PruningFailed }
    }
}
