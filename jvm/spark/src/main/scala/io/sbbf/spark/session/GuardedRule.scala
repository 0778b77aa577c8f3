package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.LogOnce

/**
 * Runs a rule for one session and never fails its query.
 *
 * Guaranteed: the rule reads the settings of `session`, whether another session or none is active
 * in the calling thread. A failure leaves the plan unchanged. Each kind of failure is logged
 * once, at WARN, LinkageError and StackOverflowError included. Cancellation
 * (`InterruptedException` and related exceptions) and other fatal errors pass through.
 *
 * @param session the session of the rule
 * @param rule the rule, whose name becomes the name of this rule
 */
private[spark] final class GuardedRule[P <: QueryPlan[P]](
    val session: SparkSession,
    rule: Rule[P])
    extends Rule[P] {
  override val ruleName: String = rule.ruleName

  override def apply(plan: P): P =
    try {
      SessionPruning.adoptClone(session, this)
      SQLConf.withExistingConf(session.sessionState.conf)(rule(plan))
    } catch {
      case RecoverableError(e) =>
        LogOnce.once(
          s"rule $ruleName: ${e.getClass.getName}",
          s"$ruleName failed, so a query is planned without it",
          e)
        plan
    }
}
