package io.sbbf.spark

import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import io.sbbf.spark.session.{GuardedColumnarRule, GuardedRule}

/**
 * Injects rules that always throw, each inside a [[GuardedRule]], wherever [[SbbfExtensions]]
 * injects one. `make test-spark LEGS=off,failing-rules` runs Spark's suites with it: no query may
 * fail.
 */
final class FailingRules extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPreCBORule { session =>
      session.experimental.extraOptimizations =
        session.experimental.extraOptimizations :+ failing[LogicalPlan](session)
      failing[LogicalPlan](session)
    }
    extensions.injectQueryStagePrepRule(failing[SparkPlan](_))
    extensions.injectColumnar { session =>
      val rules = Seq(failing[SparkPlan](session))
      new GuardedColumnarRule(before = rules, after = rules)
    }
  }

  private def failing[P <: QueryPlan[P]](session: SparkSession): GuardedRule[P] =
    new GuardedRule(
      session,
      new Rule[P] {
        override def apply(plan: P): P = throw new IllegalStateException(
          "a rule that always fails")
      })
}
