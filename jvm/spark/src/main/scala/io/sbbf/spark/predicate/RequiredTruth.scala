package io.sbbf.spark.predicate

/**
 * Selects the truth values of SQL that a predicate must match.
 *
 * @param truth the value TRUE or FALSE
 * @param orNull whether NULL matches as well
 */
private[spark] final case class RequiredTruth(truth: Boolean, orNull: Boolean) {
  def ofNegation: RequiredTruth = copy(truth = !truth)

  /**
   * Returns the values that a test must match on behalf of an expression that equals it, except
   * that the expression is FALSE where the test is NULL.
   */
  def nullIsFalse: RequiredTruth = copy(orNull = !truth)
}

private[spark] object RequiredTruth {
  val True: RequiredTruth = RequiredTruth(truth = true, orNull = false)
  val NotTrue: RequiredTruth = RequiredTruth(truth = false, orNull = true)
}
