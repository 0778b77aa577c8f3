package io.sbbf.spark.late

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.files.LateKeys
import io.sbbf.spark.iceberg.{IcebergColumns, IcebergScan, PrunedIcebergScan}
import io.sbbf.spark.util.{KernelChoice, SbbfConf}

/** A scan of an Iceberg table in a physical plan, which may get a scan with fewer files. */
private[late] final class IcebergBatch private (val plan: BatchScanExec) {

  def columns: IcebergColumns = planned.columns

  /** Returns the scan of the files that might hold a key, if they are fewer. */
  def narrowedBy(keys: Seq[LateKeys], conf: SQLConf): Option[SparkPlan] = {
    KernelChoice.start()
    planned.narrowedBy(keys, conf).map { narrower =>
      val next = SparkInternals.withArgument[SparkPlan](plan, plan.scan, narrower.scan)
      PrunedIcebergScan.mark(next, narrower)
      next
    }
  }

  /** What the filters of the query had left of the scan. */
  private lazy val planned: PrunedIcebergScan = {
    val marked = for {
      link <- plan.logicalLink
      relation <- link.collectFirst {
        case r: DataSourceV2ScanRelation if r.scan eq plan.scan => r
      }
      pruned <- PrunedIcebergScan.at(relation)
    } yield pruned
    marked.getOrElse(PrunedIcebergScan.unpruned(plan.scan))
  }
}

private[late] object IcebergBatch {

  /**
   * Returns a scan whose partitions the plan does not know. A storage-partitioned join has to find
   * the partitions that it was planned with.
   */
  def of(plan: BatchScanExec, conf: SQLConf): Option[IcebergBatch] =
    if (SbbfConf.Iceberg.get(conf) && IcebergScan.isKnown(plan.scan) &&
      plan.keyGroupedPartitioning.isEmpty) Some(new IcebergBatch(plan))
    else None
}
