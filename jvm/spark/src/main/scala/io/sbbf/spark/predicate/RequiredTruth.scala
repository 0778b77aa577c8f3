package io.sbbf.spark.predicate

/**
 * Which of SQL's three truth values is asked for.
 *
 * @param truth TRUE or FALSE
 * @param orNull whether NULL does as well
 */
private[spark] final case class RequiredTruth(truth: Boolean, orNull: Boolean) {
  def ofNegation: RequiredTruth = copy(truth = !truth)

  /** What is wanted of an expression that is FALSE where the one asked about is NULL. */
  def nullIsFalse: RequiredTruth = copy(orNull = !truth)
}

private[spark] object RequiredTruth {
  val True: RequiredTruth = RequiredTruth(truth = true, orNull = false)
  val NotTrue: RequiredTruth = RequiredTruth(truth = false, orNull = true)
}
