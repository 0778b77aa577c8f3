package io.sbbf.spark.cli

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}

import io.sbbf.spark.append.AddFiltersJob.ProgressListener

/** Reports how many tasks have ended, of those of all jobs that have started. */
private[cli] final class TaskProgress(listener: ProgressListener) extends SparkListener {
  private var done, all = 0L

  override def onJobStart(start: SparkListenerJobStart): Unit =
    all += start.stageInfos.map(_.numTasks.toLong).sum

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
    if (end.taskInfo.successful) { // a failed task runs again
      done += 1
      listener.onProgress(done, all)
    }
}
