package io.sbbf.spark.iceberg

import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.scan.{PrunableScan, RunningScan, ScanFormat}
import io.sbbf.spark.util.SbbfConf

/**
 * Scans of Iceberg tables, which have their tasks at the end of the optimizer. The relation gets a
 * copy of its scan with fewer tasks, of the same class. The scan itself stays as it is, because other
 * parts of the plan may hold it.
 */
private[spark] object IcebergScans extends ScanFormat {

  override def isListedEarly: Boolean = false

  override def isListedIn(plan: LogicalPlan): Boolean = true

  override def scanOf(leaf: LeafNode, conf: SQLConf): Option[PrunableScan] = leaf match {
    case relation: DataSourceV2ScanRelation if IcebergScan.isKnown(relation.scan) =>
      Some(new IcebergRelation(relation, conf))
    case _ => None
  }

  /**
   * Returns a scan whose partitions the plan does not know. A storage-partitioned join has to find
   * the partitions that it was planned with.
   */
  override def runningScanOf(
      node: SparkPlan,
      readsBlocks: => Boolean,
      conf: SQLConf): Option[RunningScan] = node match {
    case batch: BatchScanExec
        if SbbfConf.Iceberg.get(conf) && IcebergScan.isKnown(batch.scan) &&
          batch.keyGroupedPartitioning.isEmpty && !readsBlocks =>
      Some(new IcebergBatch(batch, conf))
    case _ => None
  }
}
