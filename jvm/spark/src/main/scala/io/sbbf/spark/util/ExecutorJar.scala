package io.sbbf.spark.util

import java.io.{File, IOException}
import java.nio.file.{Path, Paths}

import org.apache.spark.SparkContext

/** Do executors have our classes? Where they have not, tasks fail in casts that name neither class nor JAR. */
private[spark] object ExecutorJar {

  private val DriverPath = "spark.driver.extraClassPath"

  val missing: String =
    "executors do not have spark-sbbf's JAR, as nothing that Spark was told ships it: whole files are left out " +
      "of queries, row groups of the others are not, and filters are written by stock Spark. Name it in spark.jars (--jars), which ships it"

  /** @throws IllegalStateException where executors do not have them */
  def require(context: SparkContext): Unit =
    if (!isThere(context))
      throw new IllegalStateException(
        "executors do not have spark-sbbf's JAR, as nothing that Spark was told ships it: " +
          "name it in spark.jars (--jars)")

  /** Whether row groups may be chosen by the tasks; says once in the log why not. */
  def isThere(context: SparkContext): Boolean = {
    val there = context.isLocal || !isOfDriverAlone(context)
    if (!there) LogOnce.once("executors", s"$missing.")
    there
  }

  /**
   * True only where it is sure: nothing that Spark was told ships the JAR, and the driver has it by its own class
   * path, or by a session before this one. A class path of the executors' own may have it.
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

  /** A class loader tells places without the links that lead to them. */
  private def real(path: Path): Path =
    try path.toRealPath()
    catch { case _: IOException => path.normalize }
}
