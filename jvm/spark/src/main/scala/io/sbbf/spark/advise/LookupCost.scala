package io.sbbf.spark.advise

/** Row groups that a lookup reads, on average: of a value that is there, and of one that is not. */
private[advise] final case class LookupCost(present: Double, absent: Double) {

  /** Every other value is taken not to be there. */
  def mean: Double = (present + absent) / 2
}
