package io.sbbf.spark

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.core.kernel.Kernels
import io.sbbf.spark.plan.PruneRowGroups

/** What the Python package calls; needs no more than an instance, from whichever class loader has the JAR. */
final class SessionBridge {

  /** Prunes this session's queries from the next one on, and no other session's. */
  def enable(session: SparkSession): Unit = {
    SbbfConf.register()
    if (!hasRule(session)) {
      val experimental = session.experimental
      experimental.extraOptimizations = experimental.extraOptimizations :+ PruneRowGroups(session)
    }
    if (!isActive(session)) session.conf.set(SbbfConf.Enabled.key, "true")
  }

  /** Takes the rule out of the session; where it comes from the session's extension, switches it off. */
  def disable(session: SparkSession): Unit = {
    val experimental = session.experimental
    experimental.extraOptimizations =
      experimental.extraOptimizations.filterNot(_.isInstanceOf[PruneRowGroups])
    if (hasRule(session)) session.conf.set(SbbfConf.Enabled.key, "false")
  }

  /** Whether the session's next query would be pruned. */
  def isActive(session: SparkSession): Boolean =
    hasRule(session) && SbbfConf.Enabled.get(session.sessionState.conf)

  /**
   * What there is and what runs, for people who ask why something is slow or off. Follows the
   * session's choice of a kernel, as its next query would.
   */
  def doctor(session: SparkSession): util.Map[String, String] = {
    val conf = session.sessionState.conf
    KernelChoice.follow(conf)
    val findings = new util.LinkedHashMap[String, String]
    findings.put("spark", session.version)
    findings.put("scala", scala.util.Properties.versionNumberString)
    findings.put("java", s"${sys.props("java.vm.name")} ${sys.props("java.runtime.version")}")
    findings.put("extension", if (isActive(session)) "active" else "not active in this session")
    findings.put("kernels", Kernels.implementationName)
    SbbfConf.all.foreach(c => findings.put(c.key, conf.getConfString(c.key, c.default)))
    findings.put(SbbfConf.Kernel.key, KernelChoice.wanted(conf).text)
    findings
  }

  private def hasRule(session: SparkSession): Boolean =
    session.experimental.extraOptimizations.exists(_.isInstanceOf[PruneRowGroups]) ||
      session.sessionState.optimizer.preCBORules.exists(_.isInstanceOf[PruneRowGroups])

  /** What was pruned of a query, as JSON; see the Python class that reads it. Plans the query if need be. */
  def explain(query: QueryExecution): String = PruneReport.json(query)
}
