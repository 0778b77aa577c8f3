package io.sbbf.spark.iceberg

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.scan.{FileColumns, PrunableScan, PrunedTable}
import io.sbbf.spark.util.SbbfConf

/** A scan of an Iceberg table in a logical plan. */
private[iceberg] final class IcebergRelation(relation: DataSourceV2ScanRelation, conf: SQLConf)
    extends PrunableScan {

  private lazy val planned =
    PrunedIcebergScan.at(relation).getOrElse(PrunedIcebergScan.unpruned(relation.scan))

  override def name: String = relation.name
  override def roots: Seq[Path] = Seq(new Path(planned.location))
  override def columns: FileColumns = planned.columns

  /** The size of splits depends on the size of all files. */
  override def whyNever(observesSplits: => Boolean): Option[String] =
    if (!SbbfConf.Iceberg.get(conf)) Some(s"${SbbfConf.Iceberg.key} is false")
    else if (observesSplits) Some("the query sees how files are cut into splits")
    else None

  override def whyNoEvidence: Option[String] =
    try if (planned.hasEvidence) None else Some("it reads no Parquet file of rows")
    catch {
      case RecoverableError(_) =>
        val planner = relation.scan.getClass.getSimpleName
        Some(s"read by an unknown version of Iceberg: $planner plans its files by itself")
    }

  override def prunedBy(conjuncts: Seq[Expression], observesSplits: => Boolean): LeafNode = {
    val static = conjuncts.filter(c => c.deterministic && !SubqueryExpression.hasSubquery(c))
    planned
      .prunedBy(SparkInternals.normalize(static, relation.output), conf)
      .filterNot(_ eq planned)
      .fold(relation)(replacedBy)
  }

  private def replacedBy(pruned: PrunedIcebergScan): DataSourceV2ScanRelation = {
    val next =
      if (pruned.leavesOut) SparkInternals.withArgument(relation, relation.scan, pruned.scan)
      else relation
    PrunedIcebergScan.mark(next, pruned)
    next
  }

  override def unpruned: LeafNode = relation

  /** The physical scan has a mark only if late keys narrowed it. */
  override def outcome(running: Seq[SparkPlan]): Option[PrunedTable] =
    running
      .flatMap(PrunedIcebergScan.at(_))
      .headOption
      .orElse(PrunedIcebergScan.at(relation))
      .map(pruned =>
        PrunedTable(Seq(pruned.location), pruned.columns, pruned.selection, pruned.late))
}
