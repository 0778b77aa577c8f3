package io.sbbf.spark.util

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging

import io.sbbf.parquet.pass.PruningWarnings

/** Logs each warning for users once in a JVM. */
private[spark] object LogOnce extends Logging with PruningWarnings {
  private val logged = ConcurrentHashMap.newKeySet[String]()

  /** Logs `text` at WARN the first time that `topic` occurs. */
  override def once(topic: String, text: => String): Unit =
    if (logged.add(topic)) logWarning(text)

  /** Logs `text` like the other overload, with the stack trace of `cause`. */
  override def once(topic: String, text: => String, cause: Throwable): Unit =
    if (logged.add(topic)) logWarning(text, traceOf(cause))

  /** Returns the stack traces of `error` and its causes without messages, which may hold values. */
  def traceOf(error: Throwable): Throwable = traceOf(error, MostCauses)

  private def traceOf(error: Throwable, causes: Int): Throwable = {
    val cause = Option(error.getCause).filter(_ => causes > 0)
    val trace = new Exception(error.getClass.getName, cause.map(traceOf(_, causes - 1)).orNull)
    trace.setStackTrace(error.getStackTrace.take(MostFrames))
    trace
  }

  /** The stack trace of a stack overflow has a thousand frames. */
  private final val MostFrames = 60

  /** Causes may form a cycle. */
  private final val MostCauses = 5
}
