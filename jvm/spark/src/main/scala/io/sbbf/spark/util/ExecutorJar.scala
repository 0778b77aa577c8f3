package io.sbbf.spark.util

import java.io.{File, IOException}
import java.nio.file.{Path, Paths}

import org.apache.spark.SparkContext

/**
 * Checks whether executors have our classes. Without them, tasks fail in casts that name neither
 * class nor JAR.
 */
private[spark] object ExecutorJar {

  private val DriverPath = "spark.driver.extraClassPath"

  val missing: String =
    "executors do not have spark-sbbf's JAR, because no Spark setting ships it. Queries skip " +
      "whole files but no row groups of the others, and Spark alone writes the filters. Name the " +
      "JAR in spark.jars (--jars), which ships it"

  /**
   * Checks that executors have our classes.
   *
   * @throws IllegalStateException if they do not
   */
  def require(context: SparkContext): Unit =
    if (!isThere(context))
      throw new IllegalStateException(
        "executors do not have spark-sbbf's JAR, because no Spark setting ships it: " +
          "name it in spark.jars (--jars)")

  /** Returns whether tasks may select row groups; if not, logs the reason once. */
  def isThere(context: SparkContext): Boolean = {
    val there = context.isLocal || !isOfDriverAlone(context)
    if (!there) LogOnce.once("executors", s"$missing.")
    there
  }

  /**
   * Returns true only if it is certain: no setting of Spark and no added JAR ships ours, and the
   * driver has it from its own class path or from an earlier session. An extra class path of the
   * executors may have it.
   */
  private def isOfDriverAlone(context: SparkContext): Boolean = {
    val settings = context.getConf.getAll.toMap
    val jar = Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
    val shipped = (settings - DriverPath).values ++ context.listJars()
    val isLocalOfDriver = getClass.getClassLoader match {
      case of if of == ClassLoader.getSystemClassLoader =>
        settings.get(DriverPath).exists(hasEntryFor(jar, _))
      case _ => true
    }
    isLocalOfDriver && !settings.contains("spark.executor.extraClassPath") &&
    !shipped.exists(_.contains(jar.getFileName.toString))
  }

  private def hasEntryFor(jar: Path, classPath: String): Boolean =
    classPath
      .split(File.pathSeparator)
      .map(new File(_).getAbsoluteFile.toPath)
      .exists { entry =>
        if (entry.endsWith("*")) real(entry.getParent) == real(jar.getParent)
        else real(entry) == real(jar)
      }

  /** Resolves links, because a class loader reports locations with links resolved. */
  private def real(path: Path): Path =
    try path.toRealPath()
    catch { case _: IOException => path.normalize }
}
