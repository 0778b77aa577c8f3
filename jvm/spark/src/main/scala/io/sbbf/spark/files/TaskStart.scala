package io.sbbf.spark.files

import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{
  SparkListener,
  SparkListenerStageSubmitted,
  SparkListenerTaskStart
}

/**
 * Notices that a task of a job over an RDD has started. `SparkContext.statusTracker` may show tasks
 * that start soon after their stage only when they end.
 */
private[files] final class TaskStart(rdd: RDD[_]) extends SparkListener {
  @volatile private var stage = -1
  @volatile private var isPast = false

  /** Returns whether a task has started. Events arrive late if the driver is busy. */
  def happened: Boolean = isPast

  override def onStageSubmitted(event: SparkListenerStageSubmitted): Unit =
    if (event.stageInfo.rddInfos.exists(_.id == rdd.id)) stage = event.stageInfo.stageId

  override def onTaskStart(event: SparkListenerTaskStart): Unit =
    if (event.stageId == stage) isPast = true
}
