package io.sbbf.spark.late

import io.sbbf.spark.scan.LateKeys

/**
 * Keys that are known while a query runs.
 *
 * @param keys the keys, as predicates over the columns of one node's output
 * @param reasons why other keys cannot prune, without values
 */
private[late] final case class FoundKeys(keys: Seq[LateKeys], reasons: Seq[String]) {
  def ++(other: FoundKeys): FoundKeys = FoundKeys(keys ++ other.keys, reasons ++ other.reasons)

  def map(change: LateKeys => Option[LateKeys]): FoundKeys = copy(keys = keys.flatMap(change(_)))
}

private[late] object FoundKeys {
  val None: FoundKeys = FoundKeys(Nil, Nil)

  def because(reason: String): FoundKeys = FoundKeys(Nil, Seq(reason))
}
