package io.sbbf.spark.physical

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.util.LogOnce

/**
 * Adds [[io.sbbf.spark.files.ScanMetrics]] to the node of each pruned scan. They show what pruning
 * did. Other scans and the shape of the plan stay as they are.
 *
 * The rule runs in adaptive execution, before Spark first reports the plan. It runs again as a
 * columnar rule, which sees every scan as it will run.
 */
private[spark] object AddPruningMetrics extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    plan.foreach {
      case scan: FileSourceScanExec => mark(scan)
      case _ =>
    }
    plan
  }

  private def mark(scan: FileSourceScanExec): Unit = scan.relation.location match {
    case index: PrunedFileIndex =>
      try {
        val metrics = index.metrics(scan.relation.sparkSession.sparkContext)
        SparkInternals.addDriverMetrics(scan, metrics.byKey)
      } catch { case RecoverableError(e) => warn(e) } // missing metrics must not fail a query
    case _ =>
  }

  def warn(e: Throwable): Unit =
    LogOnce.once(
      s"metrics: ${e.getClass.getName}",
      "pruning metrics failed: scans do not show what was pruned",
      e)
}
