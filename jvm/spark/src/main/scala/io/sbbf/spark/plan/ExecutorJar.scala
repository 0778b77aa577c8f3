package io.sbbf.spark.plan

import java.io.File
import java.nio.file.Paths

import org.apache.spark.SparkContext

import io.sbbf.spark.SbbfConf

/** Do executors have our classes? Where they have not, tasks fail in casts that name neither class nor JAR. */
private[spark] object ExecutorJar {

  private val DriverPath = "spark.driver.extraClassPath"

  val missing: String =
    s"executors do not have spark-sbbf's JAR, which $DriverPath alone names: whole files are left out of " +
      "queries, row groups of the others are not. Name it in spark.jars (--jars), which ships it"

  /** Whether row groups may be chosen by the tasks; says once in the log why not. */
  def isThere(context: SparkContext): Boolean = {
    val there = context.isLocal || !isOnlyOfDriver(context)
    if (!there) SbbfConf.warnOnce(DriverPath, s"$missing.")
    there
  }

  /**
   * True only where it is sure: the driver has the JAR by its own class path, nothing else that Spark was told
   * mentions it, and executors have no class path of their own.
   */
  private def isOnlyOfDriver(context: SparkContext): Boolean = {
    val settings = context.getConf.getAll.toMap
    settings.get(DriverPath).exists { ofDriver =>
      val jar = Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
      val entries =
        ofDriver.split(File.pathSeparator).map(new File(_).getAbsoluteFile.toPath.normalize)
      val elsewhere = (settings - DriverPath).values ++ context.listJars()
      entries.exists(entry => entry == jar || entry == jar.resolveSibling("*")) &&
      !settings.contains("spark.executor.extraClassPath") &&
      !elsewhere.exists(_.contains(jar.getFileName.toString))
    }
  }
}
