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

  def filter(isWanted: LateKeys => Boolean): FoundKeys = copy(keys = keys.filter(isWanted))

  def map(change: LateKeys => LateKeys): FoundKeys = copy(keys = keys.map(change))
}

private[late] object FoundKeys {
  val Empty: FoundKeys = FoundKeys(Nil, Nil)

  def because(reason: String): FoundKeys = FoundKeys(Nil, Seq(reason))
}
