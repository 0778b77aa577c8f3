package io.sbbf.spark.advise

/**
 * The average number of row groups that a lookup reads, for a present and for an absent value.
 */
private[advise] final case class LookupCost(present: Double, absent: Double) {

  /** The mean over lookups of which every other one is for an absent value. */
  def mean: Double = (present + absent) / 2
}
