package io.sbbf.spark.files

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.pages.PageMetrics

/**
 * Publishes what pruning did to a scan as SQL metrics of its node. The SQL tab shows them; the
 * event log and the status store keep them. The counts are those of [[ScanPruning]], and thus of
 * EXPLAIN and of the report; tasks add those of pages.
 */
private[spark] final class ScanMetrics(context: SparkContext) {
  private val filesKept = count("files kept")
  private val filesSkipped = count("files skipped")
  private val rowGroupsKept = count("row groups kept")
  private val rowGroupsSkipped = count("row groups skipped")
  private val skippedBy: Seq[(Evidence, SQLMetric)] =
    Evidence.all.map(e => e -> count(s"row groups skipped by ${e.name}"))
  private val filesReadByTasks = count("files read by tasks to decide")
  private val bytesRead = SQLMetrics.createSizeMetric(context, name("bytes read to decide"))
  private val nanos = SQLMetrics.createNanoTimingMetric(context, name("time to decide"))

  /** What tasks leave out of kept row groups. */
  val ofPages = new PageMetrics(context)

  /** The metrics, by keys that no other metric of a scan has. */
  val byKey: Map[String, SQLMetric] =
    (Seq(filesKept, filesSkipped, rowGroupsKept, rowGroupsSkipped) ++ skippedBy.map(_._2) ++
      Seq(filesReadByTasks, bytesRead, nanos) ++ ofPages.all).map(m => m.name.get -> m).toMap

  /** Sets the metrics to what a pass found; the scan sends them to listeners when it runs. */
  def set(found: ScanPruning): Unit = {
    val refuted = found.refutedBy
    filesKept.set(found.keptFiles.toLong)
    filesSkipped.set((found.numFiles - found.keptFiles).toLong)
    rowGroupsKept.set(found.keptRowGroups)
    rowGroupsSkipped.set(found.rowGroups - found.keptRowGroups)
    skippedBy.foreach { case (evidence, metric) => metric.set(refuted.getOrElse(evidence, 0L)) }
    filesReadByTasks.set(found.tasks.files.toLong)
    bytesRead.set(found.bytesRead)
    nanos.set(found.nanos)
  }

  private def count(what: String): SQLMetric = SQLMetrics.createMetric(context, name(what))
  private def name(what: String): String = s"sbbf: $what"
}
