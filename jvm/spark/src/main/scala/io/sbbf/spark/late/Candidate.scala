package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.Expression

import io.sbbf.spark.scan.LateKeys

/**
 * A predicate over a node's output, of which only the query's run gives the values. Reading them
 * may be dear, so the candidate first travels down to the scan that it might prune.
 */
private[late] abstract class Candidate {

  /** The part of the predicate that names columns of the node's output. */
  def expression: Expression

  /** Returns the candidate for another node, in terms of that node's output. */
  def of(expression: Expression): Candidate

  /**
   * Returns a predicate of the same form with some other value, to learn whether it can prune. None
   * if its type has no value that Spark could name.
   */
  def example: Option[Expression]

  /** Starts reading the values in the background, if that takes a job. */
  def start(): Unit

  /** Returns the predicate with its values, or the reason why they are not usable. */
  def resolved: Either[String, LateKeys]

  /** Whether to leave out the rows above the scan as well, which nothing else does in the stage. */
  def filtersRows: Boolean = false
}
