package io.sbbf.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.sbbf.spark.delta.ReadPrunedDeltaFiles
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.late.{AwaitJoinKeys, PruneByLateKeys}
import io.sbbf.spark.physical.{AddPruningMetrics, RunLookupsLocally, SelectRows}
import io.sbbf.spark.scan.PruneRowGroups
import io.sbbf.spark.write.WriteExactFilters

/** Creates the rules that this extension adds to a session, each wrapped in a [[GuardedRule]]. */
private[spark] object InjectedRules {

  /** Returns the rule that prunes before the optimizer orders joins. */
  def pruneEarly(session: SparkSession): Rule[LogicalPlan] =
    new GuardedRule(session, new PruneRowGroups(Formats.all.filter(_.isListedEarly)))

  /** Returns the rule for the end of the optimizer, where extensions cannot inject any. */
  def pruneLast(session: SparkSession): Rule[LogicalPlan] =
    new GuardedRule(session, new PruneRowGroups(Formats.all))

  def writeExactFilters(session: SparkSession): Rule[LogicalPlan] =
    new GuardedRule(session, new WriteExactFilters(session))

  def readPrunedDeltaFiles(session: SparkSession): GuardedRule[SparkPlan] =
    new GuardedRule(session, new ReadPrunedDeltaFiles)

  def showPruning(session: SparkSession): GuardedRule[SparkPlan] =
    new GuardedRule(session, AddPruningMetrics)

  def awaitJoinKeys(session: SparkSession): GuardedRule[SparkPlan] =
    new GuardedRule(session, new AwaitJoinKeys(Formats.all))

  def pruneByLateKeys(session: SparkSession): Rule[SparkPlan] =
    new GuardedRule(session, new PruneByLateKeys(Formats.all))

  /**
   * Returns the rule for physical plans as they will run. It also runs without adaptive execution,
   * and sees each scan as it will run.
   */
  def columnar(session: SparkSession): ColumnarRule =
    new GuardedColumnarRule(
      before = Seq(
        readPrunedDeltaFiles(session),
        new GuardedRule(session, SelectRows),
        showPruning(session)),
      after = Seq(new GuardedRule(session, RunLookupsLocally))
    )
}
