package io.sbbf.spark.report

import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.files.{FileColumns, LateKeys, ScanColumns}
import io.sbbf.spark.iceberg.PrunedIcebergScan
import io.sbbf.spark.late.LateScans
import io.sbbf.spark.scan.PrunedScan

/** What pruning did to one scan of files or of a table. */
private[report] final case class PrunedTable(
    paths: Seq[String],
    columns: FileColumns,
    selection: ScanPruning,
    late: Seq[LateKeys])

private[report] object PrunedTable {

  /**
   * Returns what pruning did to a scan, None if it was not pruned.
   *
   * @param leaf the scan in the optimized plan
   * @param late what late keys did to the scans of the query
   */
  def of(leaf: LeafNode, late: LateScans): Option[PrunedTable] = leaf match {
    case scan: LogicalRelation if !late.ignoresIndex(scan.outputSet) =>
      for {
        files <- Some(scan.relation).collect { case files: HadoopFsRelation => files }
        index <- late.index(scan.outputSet).orElse(PrunedScan.unapply(scan).map(_._2))
        selection <- index.selection
      } yield PrunedTable(
        index.rootPaths.map(_.toString),
        new ScanColumns(files),
        selection,
        index.late)
    case scan: DataSourceV2ScanRelation =>
      late.iceberg(scan.outputSet).orElse(PrunedIcebergScan.at(scan)).map { pruned =>
        PrunedTable(Seq(pruned.location), pruned.columns, pruned.selection, pruned.late)
      }
    case _ => None
  }
}
