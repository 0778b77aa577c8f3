package io.sbbf.spark.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.Notices

/**
 * Shows on the node of each pruned scan, by its [[ScanMetrics]], what pruning did to it. Plans stay as they are,
 * node by node; other scans are not touched.
 *
 * For a session's extension it is a rule of adaptive execution, which comes before the plan is first reported,
 * and a [[Columnar]] one, which sees all scans as they will run.
 */
private[spark] object ShowPruning extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    plan.foreach {
      case scan: FileSourceScanExec => mark(scan)
      case _ =>
    }
    plan
  }

  object Columnar extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = ShowPruning
  }

  /** The same for a session that runs already and does not have the extension. */
  def addTo(session: SparkSession): Unit =
    change(session)(_ :+ Columnar, _ :+ ShowPruning)

  /** Takes out what [[addTo]] put in. */
  def removeFrom(session: SparkSession): Unit =
    change(session)(_.filterNot(isLike(Columnar)), _.filterNot(isLike(ShowPruning)))

  /** By name: a session of Spark Connect loads classes anew with each JAR that is added to it. */
  private def isLike(ours: AnyRef)(rule: AnyRef): Boolean =
    rule.getClass.getName == ours.getClass.getName

  private def change(session: SparkSession)(
      columnar: Seq[ColumnarRule] => Seq[ColumnarRule],
      adaptive: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]]): Unit =
    try SparkInternals.changePhysicalRules(session, columnar, adaptive)
    catch { case Trouble(e) => warn(e) } // queries are pruned all the same

  private def mark(scan: FileSourceScanExec): Unit = scan.relation.location match {
    case index: PrunedFileIndex =>
      try {
        val metrics = index.metrics(scan.relation.sparkSession.sparkContext)
        SparkInternals.addDriverMetrics(scan, metrics.byKey)
      } catch { case Trouble(e) => warn(e) } // metrics are not worth a query
    case _ =>
  }

  private def warn(e: Throwable): Unit =
    Notices.once(s"metrics: ${e.getClass.getName}", "scans do not show what was pruned", e)
}
