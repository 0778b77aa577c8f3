package io.sbbf.spark.append

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.util.LongAccumulator

/**
 * Tells how much of the work is done, whenever a task ends: never less than before, and never more than all.
 *
 * @param all bytes that tasks are to read and to write
 */
private[spark] final class AddFiltersProgress(
    context: SparkContext,
    all: Long,
    listener: AddFiltersJob.ProgressListener) {

  /** To which tasks add their bytes; of Spark's own class, as a driver may not find ours in what comes back. */
  val done: LongAccumulator = context.longAccumulator

  private var told = -1L

  /** Tells of nothing, then of each task that ends in `work`, then of all. */
  def during[T](work: => T): T = {
    val tasks = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = tell(done.value)
    }
    tell(0)
    context.addSparkListener(tasks)
    try {
      val result = work
      tell(all)
      result
    } finally context.removeSparkListener(tasks)
  }

  /** A task that runs again adds its bytes again; an event may come late. */
  private def tell(bytes: Long): Unit = synchronized {
    val done = math.min(bytes, all)
    if (done > told) {
      told = done
      listener.onProgress(done, all)
    }
  }
}
