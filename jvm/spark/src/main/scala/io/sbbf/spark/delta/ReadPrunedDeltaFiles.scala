package io.sbbf.spark.delta

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.files.{PrunedFileIndex, PrunedFileScan, RunningFileScan}
import io.sbbf.spark.util.SbbfConf

/**
 * Makes the scans of Delta tables that are pruned in the logical plan list only the files that are left. Delta's
 * index still lists them first, with the deletion vectors that its format applies.
 */
private[spark] final class ReadPrunedDeltaFiles extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SbbfConf.Enabled.get(conf)) plan
    else
      plan.transformUp {
        case scan: FileSourceScanExec if !SparkInternals.runsInOneTask(scan) =>
          val location = scan.relation.location
          scan.logicalLink
            .flatMap(prunedIndex(_, location))
            .fold[SparkPlan](scan)(index =>
              new RunningFileScan(DeltaScans, scan, readsBlocks = false, conf)
                .withIndex(index.withBase(location)))
      }

  /** Returns the index with which the relation of this location was pruned in the logical plan. */
  private def prunedIndex(plan: LogicalPlan, location: FileIndex): Option[PrunedFileIndex] =
    plan.collectFirst {
      case PrunedFileScan(files, index) if (files.location eq location) && (index ne location) =>
        index
    }
}
