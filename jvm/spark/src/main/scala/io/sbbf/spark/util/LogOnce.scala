package io.sbbf.spark.util

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging

import io.sbbf.parquet.prune.PruningWarnings

/** What the log tells users, once in a JVM. */
private[spark] object LogOnce extends Logging with PruningWarnings {
  private val told = ConcurrentHashMap.newKeySet[String]()

  /** Logs `text` at WARN the first time that `about` is named. */
  override def once(about: String, text: => String): Unit =
    if (told.add(about)) logWarning(text)

  /** The same of trouble, with where it came from. */
  override def once(about: String, text: => String, trouble: Throwable): Unit =
    if (told.add(about)) logWarning(text, traceOf(trouble))

  /** Where trouble came from, without any message of it, which may hold values. */
  def traceOf(trouble: Throwable): Throwable = traceOf(trouble, MostCauses)

  private def traceOf(trouble: Throwable, causes: Int): Throwable = {
    val cause = Option(trouble.getCause).filter(_ => causes > 0)
    val trace =
      new Exception(trouble.getClass.getName, cause.map(traceOf(_, causes - 1)).orNull)
    trace.setStackTrace(trouble.getStackTrace.take(MostFrames))
    trace
  }

  /** An overflown stack has a thousand. */
  private final val MostFrames = 60

  /** Causes may go in circles. */
  private final val MostCauses = 5
}
