package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.delta.ReadPrunedDeltaFiles
import io.sbbf.spark.late.{AwaitJoinKeys, PruneByLateKeys}
import io.sbbf.spark.physical.AddPruningMetrics
import io.sbbf.spark.scan.PruneRowGroups
import io.sbbf.spark.util.{LogOnce, SbbfConf}
import io.sbbf.spark.write.WriteExactFilters

/** Enables and disables pruning in a running session, without any effect on other sessions. */
private[spark] object SessionPruning {

  /**
   * Prunes this session's queries from the next one on. Adds the rules to the session's own extra
   * optimizations unless they are installed: later sessions share a session's extensions. Throws
   * UnsupportedOperationException if Java is too old.
   */
  def enable(session: SparkSession): Unit = session.experimental.synchronized {
    refusal(sys.props("java.specification.version")).foreach { reason =>
      throw new UnsupportedOperationException(reason)
    }
    SbbfConf.register()
    // warns of invalid values that were set before
    SbbfConf.all.foreach(_.get(session.sessionState.conf))
    if (!isInstalled(session)) {
      WarmUp.start()
      val experimental = session.experimental
      experimental.extraOptimizations =
        experimental.extraOptimizations :+ InjectedRules.pruneLast(session) :+
          InjectedRules.writeExactFilters(session)
      addPhysicalRules(session)
    }
    if (!isActive(session)) session.conf.set(SbbfConf.Enabled.key, "true")
  }

  /**
   * Adds the pruning rule to the end of the session's optimizer, where extensions cannot inject
   * one. Call it whenever the optimizer collects its rules: other code may set the session's
   * extra optimizations. A cloned session (each stream has one) also starts with the rule of the
   * session that it was cloned from.
   */
  def pruneLast(session: SparkSession): Unit = session.experimental.synchronized {
    val experimental = session.experimental
    val own = experimental.extraOptimizations.filterNot(isOfAnother(session))
    if (!own.exists(isOurs))
      experimental.extraOptimizations = own :+ InjectedRules.pruneLast(session)
  }

  /**
   * Enables the session of this thread if it was cloned from `session`, as that of a stream is. A clone of
   * a session without the extension has the rules of that session's optimizer, and no others.
   *
   * @param rule a rule of `session`; only clones have the very same one
   */
  def adoptClone(session: SparkSession, rule: Rule[_]): Unit =
    SparkSession.getActiveSession.filter(_ ne session).foreach { active =>
      active.experimental.synchronized {
        val rules = active.experimental.extraOptimizations
        if (rules.exists(_ eq rule)) {
          active.experimental.extraOptimizations = rules.map {
            case ours if !isOurs(ours) => ours
            case ours if ours.ruleName == classOf[WriteExactFilters].getName =>
              InjectedRules.writeExactFilters(active)
            case _ => InjectedRules.pruneLast(active)
          }
          addPhysicalRules(active)
        }
      }
    }

  private def isOfAnother(session: SparkSession)(rule: Rule[_]): Boolean = rule match {
    case guarded: GuardedRule[_] => guarded.session ne session
    case _ => false
  }

  /**
   * Adds the rules for physical plans to a running session without the extension: they prune Delta
   * tables, prune by late keys, and show pruning on scan nodes.
   */
  private[spark] def addPhysicalRules(session: SparkSession): Unit =
    changePhysicalRules(session)(
      _ :+ InjectedRules.columnar(session),
      _ :+ InjectedRules.readPrunedDeltaFiles(session) :+ InjectedRules.showPruning(session) :+
        InjectedRules.awaitJoinKeys(session),
      _ :+ InjectedRules.pruneByLateKeys(session)
    )

  /** Removes the rules that [[addPhysicalRules]] added. */
  private[spark] def removePhysicalRules(session: SparkSession): Unit =
    changePhysicalRules(session)(
      _.filterNot(_.getClass.getName == classOf[GuardedColumnarRule].getName),
      _.filterNot(isOurs),
      _.filterNot(isOurs))

  /**
   * Changes the physical rules of a running session. If that fails, only predicates that are
   * known at plan time prune its queries, and scans do not show it.
   */
  private def changePhysicalRules(session: SparkSession)(
      columnar: Seq[ColumnarRule] => Seq[ColumnarRule],
      prepare: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]],
      optimize: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]]): Unit =
    try SparkInternals.changePhysicalRules(session, columnar, prepare, optimize)
    catch {
      case RecoverableError(e) =>
        LogOnce.once(
          s"physical rules: ${e.getClass.getName}",
          "changing the physical rules failed: keys of joins and subqueries do not prune in this " +
            "session, Delta tables are not pruned, and scans do not show what was pruned",
          e
        )
    }

  /** Returns why this Java is unsupported, if it is: Spark 3.5 still runs on older versions. */
  def refusal(javaVersion: String): Option[String] = {
    val number = javaVersion.stripPrefix("1.").toInt // Java 8 reports 1.8
    if (number >= OldestJava) None
    else
      Some(
        s"spark-sbbf needs Java $OldestJava or newer, and this is Java $number: " +
          "set JAVA_HOME to a newer JDK")
  }

  private final val OldestJava = 17

  /** Removes the rules from the session, or disables them if they come from its extension. */
  def disable(session: SparkSession): Unit = session.experimental.synchronized {
    val experimental = session.experimental
    experimental.extraOptimizations = experimental.extraOptimizations.filterNot(isOurs)
    if (isInstalled(session)) session.conf.set(SbbfConf.Enabled.key, "false")
    else removePhysicalRules(session)
  }

  /** Returns whether the session's next query would be pruned. */
  def isActive(session: SparkSession): Boolean =
    isInstalled(session) && SbbfConf.Enabled.get(session.sessionState.conf)

  /** Returns `active`, or why pruning is not active, for people to read. */
  def state(session: SparkSession): String =
    if (isActive(session)) "active"
    else if (isInstalled(session)) s"off: ${SbbfConf.Enabled.key} is false"
    else "not in this session: enable it, or name it in spark.sql.extensions"

  private def isInstalled(session: SparkSession): Boolean =
    session.experimental.extraOptimizations.exists(isOurs) ||
      session.sessionState.optimizer.preCBORules.exists(isOurs)

  /** Compares names: a Spark Connect session loads classes again with each JAR added to it. */
  private def isOurs(rule: Rule[_]): Boolean = Ours.contains(rule.ruleName)

  private val Ours =
    Set(
      classOf[PruneRowGroups].getName,
      classOf[WriteExactFilters].getName,
      classOf[PruneByLateKeys].getName,
      classOf[AwaitJoinKeys].getName,
      classOf[ReadPrunedDeltaFiles].getName,
      AddPruningMetrics.ruleName
    )
}
