package io.sbbf.spark.util

import org.apache.spark.SparkContext

/** Recognizes jobs that ended because somebody cancelled them, and with them their query. */
private[spark] object CancelledJob {

  /**
   * Returns whether an error is that of a cancelled job. A stopped context cancels its jobs with a
   * similar message.
   */
  def is(e: Throwable, context: SparkContext): Boolean =
    !context.isStopped && String.valueOf(e.getMessage).matches(Message)

  /** The message from Spark 4 on, and in Spark 3.5. */
  private val Message = """(?s)\[SPARK_JOB_CANCELLED\].*|Job \d+ cancelled .*"""
}
