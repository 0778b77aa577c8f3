package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Keys of which a query keeps only the rows of a scan that hold one, found while the query ran.
 *
 * @param filter a predicate over the scan's columns, which passes exactly these keys
 * @param number the number of keys
 * @param origin the origin of the keys, without their values: "a join on user_id"
 */
private[spark] final case class LateKeys(filter: Expression, number: Int, origin: String) {

  /** Returns, for example, "3 keys of a join on user_id". */
  def source: String = f"$number%,d ${if (number == 1) "key" else "keys"} of $origin"

  /** Whether to evaluate them on a sample of the files first, even if the files are cached. */
  def areMany: Boolean = number > LateKeys.MostUnsampled
}

private[spark] object LateKeys {

  /** With more keys, evaluating them on all files may take longer than a task. */
  private final val MostUnsampled = 1000
}
