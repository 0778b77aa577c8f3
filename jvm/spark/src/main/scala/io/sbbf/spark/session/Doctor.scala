package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession

import io.sbbf.core.kernel.Kernels
import io.sbbf.spark.util.{ExecutorJar, KernelChoice, SbbfConf}

/** What there is and what runs, for people who ask why something is slow or off. */
private[spark] object Doctor {

  /**
   * Findings, each under its short name, in the order in which they are read. Follows the session's choice of
   * a kernel, as its next query would.
   */
  def findings(session: SparkSession): Seq[(String, String)] = {
    val conf = session.sessionState.conf
    KernelChoice.follow(conf)
    Seq(
      "spark" -> session.version,
      "scala" -> scala.util.Properties.versionNumberString,
      "java" -> s"${sys.props("java.vm.name")} ${sys.props("java.runtime.version")}",
      "extension" -> SessionPruning.state(session),
      "executors" ->
        (if (ExecutorJar.isThere(session.sparkContext)) "have the JAR, as far as is known"
         else ExecutorJar.missing),
      "kernels" -> Kernels.implementationName
    ) ++ SbbfConf.all.map {
      case SbbfConf.Kernel => SbbfConf.Kernel.key -> KernelChoice.wanted(conf).text
      case other => other.key -> other.told(conf)
    }
  }
}
