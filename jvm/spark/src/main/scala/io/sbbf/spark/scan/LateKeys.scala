package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * A predicate that became known while its query ran: the keys of a join, or the results of
 * subqueries. The query drops each row of the scan that does not satisfy it.
 *
 * @param filter the predicate over the scan's columns
 * @param number the number of values in the predicate
 * @param origin what the values are, without them: "a join on user_id", "a subquery"
 */
private[spark] final case class LateKeys(
    filter: Expression,
    number: Int,
    origin: LateKeys.Origin) {

  /** Returns, for example, "3 keys of a join on user_id" or "1 result of a subquery". */
  def description: String =
    f"$number%,d ${origin.noun}${if (number == 1) "" else "s"} of ${origin.text}"

  /** Whether to evaluate them on a sample of the files first, even if the files are cached. */
  def needsSample: Boolean = number > LateKeys.MostUnsampled
}

private[spark] object LateKeys {

  /** With more keys, a pass over all files may take longer than reading what it would save. */
  private final val MostUnsampled = 1000

  sealed abstract class Origin(val noun: String, val text: String)
      extends Product
      with Serializable

  /** @param columns the streamed columns in the join's keys */
  final case class Join(columns: Seq[String])
      extends Origin("key", s"a join on ${columns.mkString(", ")}")
  case object Subquery extends Origin("result", "a subquery")
}
