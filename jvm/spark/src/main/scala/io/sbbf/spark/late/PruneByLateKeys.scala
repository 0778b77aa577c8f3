package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, ProjectExec, SparkPlan}

import io.sbbf.spark.scan.LateKeys
import io.sbbf.spark.util.SbbfConf

/**
 * Prunes Parquet scans by keys that are known only while the query runs: those of broadcast joins
 * above them, and the results of subqueries in their filters.
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
 */
private[spark] final class PruneByLateKeys extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!SbbfConf.Enabled.get(conf) || !SbbfConf.RuntimePruning.get(conf)) plan
    else new Stage(plan, SbbfConf.RuntimeKeys.get(conf)).pruned

  /** One stage; keys are read only for a scan that they can reach. */
  private final class Stage(plan: SparkPlan, most: Int) {
    private val scans = new ScanNarrowing(plan, conf)

    def pruned: SparkPlan = prune(plan, () => FoundKeys.Empty)

    /** @param keys returns the keys that the nodes above require of this node's output */
    private def prune(node: SparkPlan, keys: () => FoundKeys): SparkPlan = node match {
      case scan: FileSourceScanExec => scans.narrowed(scan, keys)
      case join: BroadcastHashJoinExec =>
        val streamed = JoinKeys.streamedSide(join)
        pruneChild(
          join,
          streamed,
          () => restrictedTo(streamed, keys()) ++ JoinKeys.of(join, most))
      case filter: FilterExec if filter.condition.deterministic =>
        pruneChild(filter, filter.child, () => keys() ++ SubqueryKeys.of(filter.condition, most))
      case project: ProjectExec if project.projectList.forall(_.deterministic) =>
        pruneChild(project, project.child, () => belowProject(project, keys()))
      case other => other.mapChildren(prune(_, () => FoundKeys.Empty))
    }

    private def pruneChild(
        node: SparkPlan,
        child: SparkPlan,
        keys: () => FoundKeys): SparkPlan = {
      val next = prune(child, keys)
      if (next eq child) node
      else node.withNewChildren(node.children.map(c => if (c eq child) next else c))
    }

    /** Returns the keys of columns of one side of a join, whose rows the join does not change. */
    private def restrictedTo(side: SparkPlan, keys: FoundKeys): FoundKeys =
      keys.filter(_.filter.references.subsetOf(side.outputSet))

    /** Returns the keys in terms of the columns below a projection. */
    private def belowProject(project: ProjectExec, keys: FoundKeys): FoundKeys = {
      val aliases = AttributeMap(project.projectList.collect { case alias: Alias =>
        alias.toAttribute -> alias.child
      })
      keys.map { late: LateKeys =>
        late.copy(filter = late.filter.transform { case a: Attribute =>
          aliases.getOrElse(a, a)
        })
      }
    }
  }
}
