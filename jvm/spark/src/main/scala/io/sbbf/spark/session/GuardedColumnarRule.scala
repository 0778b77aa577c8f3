package io.sbbf.spark.session

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Runs a rule before Spark inserts columnar transitions. */
private[spark] final class GuardedColumnarRule(rule: Rule[SparkPlan]) extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = rule
}
