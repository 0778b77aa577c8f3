package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastHashJoinExec, ShuffledJoin}
import org.apache.spark.sql.execution.{FileSourceScanExec, LeafExecNode, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.scan.ScanFormat
import io.sbbf.spark.util.SbbfConf

/**
 * Makes scans wait for the smaller sides of joins above them in later stages, whose keys then prune the
 * scans.
 *
 * Adaptive execution would start both sides of a shuffle join at once. The side that a scan waits for
 * is shuffled or broadcast once: it is the same exchange in both places.
 *
 * {{{
 *   SortMergeJoin id = user_id          SortMergeJoin id = user_id
 *     Exchange                            Exchange
 *       Scan (a batch)           ==>        Scan (a batch)
 *     Exchange                            Exchange
 *       Scan (1,000 files)                  AwaitKeys user_id = id
 *                                             Scan (1,000 files)
 *                                             Exchange
 *                                               Scan (a batch)
 * }}}
 *
 * @param formats the formats whose scans are pruned
 */
private[spark] final class AwaitJoinKeys(formats: Seq[ScanFormat]) extends Rule[SparkPlan] {
  import AwaitJoinKeys._

  override def apply(plan: SparkPlan): SparkPlan = {
    val isOn = SbbfConf.Enabled.get(conf) && SbbfConf.RuntimePruning.get(conf)
    // or a side would run once for the join and once for the scans that wait for it
    val runsOnce = conf.exchangeReuseEnabled
    if (isOn && runsOnce) new Query(plan, SbbfConf.RuntimeKeys.get(conf)).waiting else plan
  }

  private final class Query(plan: SparkPlan, maxKeys: Int) {
    private val scans = new ScanNarrowing(plan, formats, conf)

    def waiting: SparkPlan = waiting(plan, Nothing)

    private def waiting(node: SparkPlan, required: Required): SparkPlan = node match {
      case scan: LeafExecNode => awaiting(scan, required.later)
      case known: AwaitKeysExec => known
      case exchange: Exchange =>
        val before = required.beforeExchange
        val isAlone = before.later.all.isEmpty || !isShared(exchange)
        exchange.mapChildren(waiting(_, if (isAlone) before else Nothing))
      case join: ShuffledJoin =>
        val isLeftFirst = bytes(join.left) <= bytes(join.right)
        inTurn(join, required, isLeftFirst)((side, keys) =>
          side.copy(later = side.later.and(keys)))
      case join: BroadcastHashJoinExec =>
        val isLeftFirst = !JoinKey.streamsLeft(join)
        inTurn(join, required, isLeftFirst)((side, keys) => side.copy(same = side.same.and(keys)))
      case _ =>
        val next = node.children.zip(required.ofChildren(node)).map { case (child, those) =>
          waiting(child, those)
        }
        replaced(node, next)
    }

    /**
     * Changes one side of a join, and then the other, which the keys of the first may prune. The scans
     * have to wait for the first side as the join reads it, or it would be run twice.
     */
    private def inTurn(join: BaseJoinExec, required: Required, isLeftFirst: Boolean)(
        and: (Required, Either[String, Seq[Candidate]]) => Required): SparkPlan = {
      val Seq(left, right) = required.ofChildren(join)
      def keys(first: SparkPlan) = JoinKey.ofSide(join, !isLeftFirst, first, maxKeys)
      if (isLeftFirst) {
        val first = waiting(join.left, left)
        replaced(join, Seq(first, waiting(join.right, and(right, keys(first)))))
      } else {
        val first = waiting(join.right, right)
        replaced(join, Seq(waiting(join.left, and(left, keys(first))), first))
      }
    }

    private def replaced(node: SparkPlan, children: Seq[SparkPlan]): SparkPlan =
      if (children.zip(node.children).forall { case (a, b) => a eq b }) node
      else node.withNewChildren(children)

    private def awaiting(scan: SparkPlan, candidates: Candidates): SparkPlan = {
      val usable = scans.usable(scan, candidates).collect {
        case key: JoinKey if key.canFilterRows || showsItsKeys(scan) => key
      }
      val (awaited, others) =
        usable.partition(key => key.other.exchangeOf(key.number).exists(isSmaller(_, scan)))
      LateReasons.setOfJoins(scan, candidates.reasons ++ others.map(_.notAwaited))
      awaited.groupBy(_.other).foldLeft(scan) { case (waiting, (side, keys)) =>
        val isOfJoin = !side.plan.exists(_.isInstanceOf[Exchange])
        AwaitKeysExec(
          waiting,
          side.plan,
          keys.map(_.expression),
          side.keys,
          keys.map(_.number),
          isOfJoin)
      }
    }

    /** Whether Spark would run an exchange once for several parts of the query. */
    private def isShared(exchange: Exchange): Boolean =
      shared.contains(exchange.canonicalized)

    private lazy val shared: Set[SparkPlan] =
      plan
        .collect { case exchange: Exchange => exchange.canonicalized }
        .groupBy(identity)
        .collect { case (exchange, several) if several.size > 1 => exchange }
        .toSet
  }
}

private[late] object AwaitJoinKeys {

  /**
   * What joins require of a node's output.
   *
   * @param later what those of later stages do, for which a scan may wait
   * @param same what those of the node's own stage do, for which it waits anyway
   */
  private final case class Required(later: Candidates, same: Candidates) {

    def ofChildren(node: SparkPlan): Seq[Required] =
      PassedDown.by(node, later).zip(PassedDown.by(node, same)).map { case (l, s) =>
        Required(l, s)
      }

    def beforeExchange: Required =
      Required(Candidates(later.all ++ same.all, later.reasons), Candidates.Empty)
  }

  private val Nothing = Required(Candidates.Empty, Candidates.Empty)

  /**
   * Returns whether what a plan reads is known to be much smaller than a scan, or of unknown size: what
   * another job has computed, or what comes from outside.
   */
  def isSmaller(plan: SparkPlan, scan: SparkPlan): Boolean =
    bytesOf(scan).exists(_ >= bytes(plan) * LeastRatio)

  /**
   * Returns whether a scan differs from another that other keys have narrowed, so that Spark runs both.
   * Iceberg compares its scans without their tasks; a filter above them makes the difference.
   */
  private def showsItsKeys(scan: SparkPlan): Boolean = scan.isInstanceOf[FileSourceScanExec]

  /** Returns the bytes of the leaves of a plan and of its stages, as far as they are known. */
  private def bytes(plan: SparkPlan): BigInt = {
    val unknown = math.min(SQLConf.get.defaultSizeInBytes, MostKnown)
    leaves(plan).flatMap(bytesOf).filter(_ < unknown).sum
  }

  /** Spark takes a share of an unknown size, 8 EiB, for some columns of what comes from outside. */
  private final val MostKnown = 1L << 53

  private def bytesOf(leaf: SparkPlan): Option[BigInt] =
    leaf.logicalLink.map(_.stats.sizeInBytes)

  private def leaves(plan: SparkPlan): Seq[SparkPlan] = plan.collectLeaves().flatMap {
    case stage: QueryStageExec => leaves(stage.plan)
    case reused: ReusedExchangeExec => leaves(reused.child)
    case leaf => Seq(leaf)
  }

  /** The least ratio of bytes for which a scan waits. */
  private final val LeastRatio = 2
}
