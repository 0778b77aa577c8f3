package io.sbbf.spark.session

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/**
 * Runs rules beside Spark's rule that inserts columnar transitions.
 *
 * @param before the rules that run before Spark inserts them, in this order
 * @param after the rules that run on the plan with transitions
 */
private[spark] final class GuardedColumnarRule(
    val before: Seq[GuardedRule[SparkPlan]],
    val after: Seq[GuardedRule[SparkPlan]] = Nil)
    extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = inTurn(before)
  override def postColumnarTransitions: Rule[SparkPlan] = inTurn(after)

  private def inTurn(rules: Seq[GuardedRule[SparkPlan]]): Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = rules.foldLeft(plan)((p, rule) => rule(p))
  }
}
