package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.execution.{FilterExec, LeafExecNode, ProjectExec, SparkPlan}

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
    private def prune(node: SparkPlan, candidates: Candidates): SparkPlan = node match {
      case leaf: LeafExecNode => scans.narrowed(leaf, candidates)
      case join: BroadcastHashJoinExec =>
        val streamed = JoinKey.streamedSide(join)
        val passed = candidates.restrictedTo(streamed.outputSet)
        pruneChild(join, streamed, passed.and(JoinKey.of(join, maxKeys)))
      case filter: FilterExec if filter.condition.deterministic =>
        pruneChild(filter, filter.child, candidates.and(SubqueryResults.of(filter.condition)))
      case project: ProjectExec if project.projectList.forall(_.deterministic) =>
        pruneChild(project, project.child, candidates.replace(definitions(project)))
      case other => other.mapChildren(prune(_, Candidates.Empty))
    }

    private def pruneChild(
        node: SparkPlan,
        child: SparkPlan,
        candidates: Candidates): SparkPlan = {
      val next = prune(child, candidates)
      if (next eq child) node
      else node.withNewChildren(node.children.map(c => if (c eq child) next else c))
    }

    /** Returns what each column of a projection is in terms of the columns below. */
    private def definitions(project: ProjectExec): Attribute => Expression = {
      val aliases = AttributeMap(project.projectList.collect { case alias: Alias =>
        alias.toAttribute -> alias.child
      })
      column => aliases.getOrElse(column, column)
    }
  }
}
