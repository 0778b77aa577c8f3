package io.sbbf.spark.util

import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.kernel.Kernels

/** Selects the kernel that hashes keys and probes filters by the configuration; logs the choice. */
private[spark] object KernelChoice extends Logging {

  // registered once for the JVM; logs whenever the choice changes
  private lazy val logged: Unit = Kernels.onChoice(line => logInfo(s"kernel for $line"))

  /** Applies the choice of `conf` to all sessions from now on: a JVM has one kernel. */
  def follow(conf: SQLConf): Unit = {
    logged
    Kernels.use(configured(conf))
  }

  /** Returns the session's setting, or the JVM's if the session has none. */
  def configured(conf: SQLConf): Kernels.Mode =
    if (conf.contains(SbbfConf.Kernel.key)) SbbfConf.Kernel.get(conf) else Kernels.Mode.default
}
