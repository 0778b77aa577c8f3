package io.sbbf.parquet.pass

/**
 * Estimates by the first of many files whether reading all would exceed a time limit. Begins when
 * it is created.
 *
 * @param limit the seconds that the read may take; infinite if there is no limit
 */
private[pass] final class ReadTime(limit: Double) {
  private val started = System.nanoTime

  private def spent: Double = (System.nanoTime - started) / 1e9

  /** Returns the seconds that are left of the limit. */
  def left: Double = limit - spent

  /**
   * Returns whether reading `total` files would exceed the limit, by the time that `done` files took.
   * Without any, half of the limit is the most.
   */
  def isTooLong(done: Int, total: Int): Boolean = {
    val seconds = spent
    // the first files also pay for connections and for cold code
    seconds > limit / 10 &&
    (if (done == 0) seconds > limit / 2 else seconds / done * total > limit)
  }
}

private[pass] object ReadTime {

  /** Begins a read that may take so many seconds; 0 has no limit. */
  def within(seconds: Int): ReadTime =
    new ReadTime(if (seconds == 0) Double.PositiveInfinity else seconds.toDouble)
}
