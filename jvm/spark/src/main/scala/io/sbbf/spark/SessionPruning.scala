package io.sbbf.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.rules.Rule

import io.sbbf.spark.plan.{PruneRowGroups, ShowPruning}
import io.sbbf.spark.write.WriteExactFilters

/** Switching the pruning on and off in a session that runs, without a trace in any other session. */
private[spark] object SessionPruning {

  /**
   * Prunes this session's queries from the next one on. The rule goes among the session's own extra
   * optimizations unless it is there: the extensions of a session are shared with every later one. Throws
   * UnsupportedOperationException for a Java that is too old.
   */
  def enable(session: SparkSession): Unit = session.experimental.synchronized {
    refusal(sys.props("java.specification.version")).foreach { reason =>
      throw new UnsupportedOperationException(reason)
    }
    SbbfConf.register()
    if (!isInstalled(session)) {
      val experimental = session.experimental
      experimental.extraOptimizations =
        experimental.extraOptimizations :+ PruneRowGroups() :+ WriteExactFilters
      ShowPruning.addTo(session)
    }
    if (!isActive(session)) session.conf.set(SbbfConf.Enabled.key, "true")
  }

  /**
   * Has the rule run at the optimizer's end too, for which extensions have no way in. To be asked whenever the
   * optimizer collects its rules, as others may set the session's extra optimizations.
   */
  def pruneLast(session: SparkSession): Unit = session.experimental.synchronized {
    val experimental = session.experimental
    if (!experimental.extraOptimizations.exists(isOurs))
      experimental.extraOptimizations = experimental.extraOptimizations :+ PruneRowGroups()
  }

  /** Why nothing is pruned on this Java, which Spark 3.5 may still run on. */
  def refusal(javaVersion: String): Option[String] = {
    val number = javaVersion.stripPrefix("1.").toInt // Java 8 calls itself 1.8
    if (number >= OldestJava) None
    else
      Some(
        s"spark-sbbf needs Java $OldestJava or newer, and this is Java $number: set JAVA_HOME to a newer one")
  }

  private final val OldestJava = 17

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

  /** For people: `active`, or why it is not. */
  def state(session: SparkSession): String =
    if (isActive(session)) "active"
    else if (isInstalled(session)) s"off: ${SbbfConf.Enabled.key} is false"
    else "not in this session: enable it, or name it in spark.sql.extensions"

  private def isInstalled(session: SparkSession): Boolean =
    session.experimental.extraOptimizations.exists(isOurs) ||
      session.sessionState.optimizer.preCBORules.exists(isOurs)

  /** By name: a session of Spark Connect loads classes anew with each JAR that is added to it. */
  private def isOurs(rule: Rule[_]): Boolean = Ours.contains(rule.getClass.getName)

  private val Ours =
    Set[Class[_]](classOf[PruneRowGroups], WriteExactFilters.getClass).map(_.getName)
}
