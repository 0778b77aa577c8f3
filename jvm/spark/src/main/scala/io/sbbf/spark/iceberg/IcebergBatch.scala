package io.sbbf.spark.iceberg

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.scan.{LateKeys, RunningScan}
import io.sbbf.spark.util.KernelChoice

/** A scan of an Iceberg table in a physical plan, which may get a scan with fewer files. */
private[iceberg] final class IcebergBatch(plan: BatchScanExec, conf: SQLConf)
    extends RunningScan {

  override def columns: IcebergColumns = planned.columns

  override def narrowedBy(keys: Seq[LateKeys]): Option[SparkPlan] = {
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
