package io.sbbf.spark.util

import org.apache.spark.internal.Logging

import io.sbbf.core.kernel.Kernels

/** Logs which kernel hashes keys and probes filters, whenever the choice changes. */
private[spark] object KernelChoice extends Logging {

  private lazy val listening: Unit = Kernels.onChoice(line => logInfo(s"kernel for $line"))

  /** Starts to log, once for the JVM. */
  def start(): Unit = listening
}
