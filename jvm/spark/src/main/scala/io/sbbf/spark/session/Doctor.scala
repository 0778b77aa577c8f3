package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.kernel.Kernels
import io.sbbf.spark.util.{ExecutorJar, SbbfConf}

/**
 * Reports versions, the state of the extension and settings, to explain slow or missing pruning.
 */
private[spark] object Doctor {

  /** Returns the findings with their short names, in the order in which to show them. */
  def findings(session: SparkSession): Seq[(String, String)] =
    Seq(
      "spark" -> session.version,
      "extension" -> SessionPruning.state(session),
      "executors" ->
        (if (ExecutorJar.isThere(session.sparkContext)) "have the JAR, as far as is known"
         else ExecutorJar.missing)
    ) ++ ofJvm(session.sessionState.conf)

  /** Returns the findings on this JVM, and the settings of `conf`. */
  def ofJvm(conf: SQLConf): Seq[(String, String)] =
    Seq(
      "scala" -> scala.util.Properties.versionNumberString,
      "java" -> s"${sys.props("java.vm.name")} ${sys.props("java.runtime.version")}",
      "kernels" -> Kernels.implementationName,
      Kernels.Mode.Property -> Kernels.Mode.default.text
    ) ++ SbbfConf.all.map(setting => setting.key -> setting.describe(conf))
}
