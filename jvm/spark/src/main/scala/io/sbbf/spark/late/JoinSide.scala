package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{BroadcastQueryStageExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeLike, ShuffleExchangeLike}

/**
 * A side of a join, whose keys prune the other side.
 *
 * @param plan the side, as the join reads it
 * @param keys its keys, each for that of the other side at the same place
 * @param maxKeys the most distinct values of one key
 */
private[late] final class JoinSide(val plan: SparkPlan, val keys: Seq[Expression], maxKeys: Int) {
  import JoinSide._

  /** Where the values of each key come from. */
  private val sources: Seq[Option[Source]] = plan match {
    case _: BroadcastQueryStageExec | _: BroadcastExchangeLike =>
      keys.map(key => Some(Source(plan, key)))
    case _ => keys.map(sourceOf(_, plan))
  }

  /** Returns the stage, or the exchange that will be one, from whose rows a key has its values. */
  def exchangeOf(key: Int): Option[SparkPlan] = sources(key).map(_.exchange)

  /** The values of the keys of each source. */
  private lazy val tables: Map[Int, KeyTable] =
    sources.flatten.groupBy(_.exchange.id).map { case (id, ofExchange) =>
      id -> KeyTable.of(ofExchange.head.exchange, ofExchange.map(_.key), maxKeys)
    }

  /** Returns all values that a key has but NULL, and maybe others, or why they are not usable. */
  def values(key: Int): Either[String, Set[Any]] = sources(key) match {
    case None => Left("a join's other side is not a stage of adaptive execution")
    case Some(source) =>
      val place = sources.take(key).count(_.exists(_.exchange eq source.exchange))
      tables(source.exchange.id).values.map(_(place))
  }
}

private[late] object JoinSide {

  /** @param key the key over the rows of an exchange or a stage */
  private final case class Source(exchange: SparkPlan, key: Expression)

  /**
   * Returns the shuffle from whose rows a plan has all values of a key. The shuffle may have more of
   * them, as the plan may drop rows.
   */
  private def sourceOf(key: Expression, plan: SparkPlan): Option[Source] = plan match {
    case _: ShuffleExchangeLike | _: ShuffleQueryStageExec => Some(Source(plan, key))
    case _ =>
      plan.children.zip(PassedDown.toChildren(plan)).flatMap { case (child, below) =>
        below(key).map(child -> _)
      } match {
        case Seq((child, value)) => sourceOf(value, child)
        case _ => None // each row is one of several children
      }
  }
}
