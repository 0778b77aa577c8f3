package io.sbbf.spark.append

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.util.LongAccumulator

/**
 * Reports how much of the work is done, whenever a task ends. The reported bytes never fall, and
 * never exceed `all`.
 *
 * @param all the bytes that tasks are to read and to write
 */
private[spark] final class AddFiltersProgress(
    context: SparkContext,
    all: Long,
    listener: AddFiltersJob.ProgressListener) {

  /**
   * The bytes that tasks have read and written. The accumulator is of Spark's own class, because
   * the driver may not find ours in the results of tasks.
   */
  val done: LongAccumulator = context.longAccumulator

  private var reported = -1L

  /** Reports 0, then the progress after each task that ends in `work`, then `all`. */
  def during[T](work: => T): T = {
    val tasks = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = report(done.value)
    }
    report(0)
    context.addSparkListener(tasks)
    try {
      val result = work
      report(all)
      result
    } finally context.removeSparkListener(tasks)
  }

  /**
   * Limits the bytes: a task that runs again adds its bytes again, and an event may come late.
   */
  private def report(bytes: Long): Unit = synchronized {
    val done = math.min(bytes, all)
    if (done > reported) {
      reported = done
      listener.onProgress(done, all)
    }
  }
}
