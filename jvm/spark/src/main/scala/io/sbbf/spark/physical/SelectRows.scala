package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.files.RunningFileScan
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.util.SbbfConf

/**
 * Lets tasks choose the rows of large row groups by the filter of their scan. Runs when all else that
 * concerns a scan is known, and also for scans of which planning leaves out nothing.
 */
private[spark] object SelectRows extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val conf = SQLConf.get
    if (!SbbfConf.Enabled.get(conf)) plan
    else
      plan.transformUp {
        case scan: FileSourceScanExec if scan.dataFilters.nonEmpty =>
          Formats.all.iterator
            // of a scan without an index, tasks keep the splits that Spark makes
            .flatMap(_.runningScanOf(scan, readsBlocks = true, conf))
            .collectFirst { case files: RunningFileScan => files }
            .flatMap(_.selectingRows)
            .getOrElse(scan)
      }
  }
}
