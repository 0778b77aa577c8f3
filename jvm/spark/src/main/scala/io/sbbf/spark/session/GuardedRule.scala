package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.{Interruption, RecoverableError}
import io.sbbf.spark.util.LogOnce

/**
 * Runs a rule for one session and never fails its query.
 *
 * Guaranteed: the rule reads the settings of `session`, whichever session is active in the calling thread, and also
 * when none is. Each kind of failure is logged once, at WARN, and the plan stays as it was. Cancellation
 * (`InterruptedException` and its relatives) and fatal errors pass through, but not LinkageError and StackOverflowError.
 *
 * @param session the session that the rule was made for
 * @param rule its name becomes the name of this rule
 */
private[spark] final class GuardedRule[P <: QueryPlan[P]](
    val session: SparkSession,
    rule: Rule[P])
    extends Rule[P] {
  override val ruleName: String = rule.ruleName

  override def apply(plan: P): P =
    try SQLConf.withExistingConf(session.sessionState.conf)(rule(plan))
    catch {
      case RecoverableError(e) if !Interruption.is(e) =>
        LogOnce.once(
          s"rule $ruleName: ${e.getClass.getName}",
          s"$ruleName failed: a query is planned without it",
          e)
        plan
    }
}
