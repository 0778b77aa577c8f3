package io.sbbf.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.rules.Rule

import io.sbbf.spark.plan.{PruneRowGroups, ShowPruning}

/** Switching the pruning on and off in a session that runs, without a trace in any other session. */
private[spark] object SessionPruning {

  /**
   * Prunes this session's queries from the next one on. The rule goes among the session's own extra
   * optimizations unless it is there: the extensions of a session are shared with every later one.
   */
  def enable(session: SparkSession): Unit = session.experimental.synchronized {
    SbbfConf.register()
    if (!isInstalled(session)) {
      val experimental = session.experimental
      experimental.extraOptimizations = experimental.extraOptimizations :+ PruneRowGroups()
      ShowPruning.addTo(session)
    }
    if (!isActive(session)) session.conf.set(SbbfConf.Enabled.key, "true")
  }

  /** Takes the rule out of the session; where it comes from the session's extension, switches it off. */
  def disable(session: SparkSession): Unit = session.experimental.synchronized {
    val experimental = session.experimental
    experimental.extraOptimizations = experimental.extraOptimizations.filterNot(isOurs)
    if (isInstalled(session)) session.conf.set(SbbfConf.Enabled.key, "false")
    else ShowPruning.removeFrom(session)
  }

  /** Whether the session's next query would be pruned. */
  def isActive(session: SparkSession): Boolean =
    isInstalled(session) && SbbfConf.Enabled.get(session.sessionState.conf)

  private def isInstalled(session: SparkSession): Boolean =
    session.experimental.extraOptimizations.exists(isOurs) ||
      session.sessionState.optimizer.preCBORules.exists(isOurs)

  /** By name: a session of Spark Connect loads classes anew with each JAR that is added to it. */
  private def isOurs(rule: Rule[_]): Boolean =
    rule.getClass.getName == classOf[PruneRowGroups].getName
}
