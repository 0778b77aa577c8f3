package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.execution.{FilterExec, LeafExecNode, SparkPlan}

import io.sbbf.spark.scan.ScanFormat
import io.sbbf.spark.util.SbbfConf

/**
 * Prunes scans by keys that are known only while the query runs: those of broadcast joins above them,
 * and the results of subqueries in their filters.
 *
 * Adaptive execution applies the rule to each stage right before the stage runs. All broadcasts
 * that the stage reads are finished then. The plan keeps its shape: a scan only loses files and
 * row groups whose rows the join or the filter above would drop.
 *
 * {{{
 *   BroadcastHashJoin user_id = id                 BroadcastHashJoin user_id = id
 *     Filter                                         Filter
 *       FileSourceScan (1,000 files)      ==>          FileSourceScan (the 3 files with a key)
 *     BroadcastQueryStage (3 rows)                   BroadcastQueryStage (3 rows)
 * }}}
 *
 * @param formats the formats whose scans are pruned
 */
private[spark] final class PruneByLateKeys(formats: Seq[ScanFormat]) extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SbbfConf.Enabled.get(conf) || !SbbfConf.RuntimePruning.get(conf)) plan
    else new Stage(plan, SbbfConf.RuntimeKeys.get(conf)).pruned

  private final class Stage(plan: SparkPlan, maxKeys: Int) {
    private val scans = new ScanNarrowing(plan, formats, conf)

    def pruned: SparkPlan = prune(plan, Candidates.Empty)

    /** @param candidates what the nodes above require of this node's output */
    private def prune(node: SparkPlan, candidates: Candidates): SparkPlan = {
      def passed = PassedDown.by(node, candidates)
      node match {
        case leaf: LeafExecNode => scans.narrowed(leaf, candidates)
        case waiting: AwaitKeysExec => prune(waiting.left, candidates.and(awaited(waiting)))
        case join: BroadcastHashJoinExec =>
          val Seq(left, right) = passed
          def keys(other: SparkPlan) =
            JoinKey.ofSide(join, JoinKey.streamsLeft(join), other, maxKeys)
          inChildren(
            join,
            if (JoinKey.streamsLeft(join)) Seq(left.and(keys(join.right)), right)
            else Seq(left, right.and(keys(join.left))))
        case filter: FilterExec if filter.condition.deterministic =>
          inChildren(filter, Seq(candidates.and(SubqueryResults.of(filter.condition))))
        case _ => inChildren(node, passed)
      }
    }

    private def inChildren(node: SparkPlan, candidates: Seq[Candidates]): SparkPlan = {
      val next = node.children.zip(candidates).map { case (child, those) => prune(child, those) }
      if (next.zip(node.children).forall { case (a, b) => a eq b }) node
      else node.withNewChildren(next)
    }

    private def awaited(waiting: AwaitKeysExec): Seq[Candidate] =
      if (!waiting.isOfJoin) Nil
      else {
        val side = new JoinSide(waiting.right, waiting.others, maxKeys)
        waiting.keys.zip(waiting.numbers).map { case (key, number) =>
          new JoinKey(side, number, key, isAwaited = true)
        }
      }
  }
}
