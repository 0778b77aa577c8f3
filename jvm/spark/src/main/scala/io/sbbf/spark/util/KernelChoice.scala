package io.sbbf.spark.util

import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.kernel.Kernels

/** Which kernel hashes and asks filters, as the session's configuration wants it; told in the log. */
private[spark] object KernelChoice extends Logging {

  // once for the JVM, and whenever the choice changes
  private lazy val logged: Unit = Kernels.onChoice(line => logInfo(s"kernel for $line"))

  /** From now on, in all sessions: a JVM has one kernel. */
  def follow(conf: SQLConf): Unit = {
    logged
    Kernels.use(wanted(conf))
  }

  /** The session's setting, or the JVM's if it has none. */
  def wanted(conf: SQLConf): Kernels.Mode =
    if (conf.contains(SbbfConf.Kernel.key)) SbbfConf.Kernel.get(conf) else Kernels.Mode.default
}
