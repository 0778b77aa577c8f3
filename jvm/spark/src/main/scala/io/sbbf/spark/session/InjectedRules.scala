package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.sbbf.spark.late.PruneByLateKeys
import io.sbbf.spark.scan.{AddPruningMetrics, PruneRowGroups}
import io.sbbf.spark.write.WriteExactFilters

/** Creates the rules that this extension adds to a session, each wrapped in a [[GuardedRule]]. */
private[spark] object InjectedRules {
  def pruneRowGroups(session: SparkSession): Rule[LogicalPlan] =
    new GuardedRule(session, new PruneRowGroups)

  def writeExactFilters(session: SparkSession): Rule[LogicalPlan] =
    new GuardedRule(session, new WriteExactFilters(session))

  def showPruning(session: SparkSession): Rule[SparkPlan] =
    new GuardedRule(session, AddPruningMetrics)

  def pruneByLateKeys(session: SparkSession): Rule[SparkPlan] =
    new GuardedRule(session, new PruneByLateKeys)

  /**
   * Like [[showPruning]], but runs before columnar transitions and sees each scan as it will run.
   */
  def showPruningLast(session: SparkSession): ColumnarRule =
    new GuardedColumnarRule(showPruning(session))
}
