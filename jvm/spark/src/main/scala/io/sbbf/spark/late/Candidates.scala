package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The predicates that the nodes above require of one node's output.
 *
 * @param reasons why other nodes above require nothing, without values
 */
private[late] final case class Candidates(all: Seq[Candidate], reasons: Seq[String]) {

  def and(more: Seq[Candidate]): Candidates = copy(all = all ++ more)

  def and(more: Either[String, Seq[Candidate]]): Candidates = more match {
    case Right(candidates) => and(candidates)
    case Left(reason) => copy(reasons = reasons :+ reason)
  }

  /** Returns them in terms of another node's output, without those that it does not have. */
  def through(below: Expression => Option[Expression]): Candidates =
    copy(all = all.flatMap(candidate => below(candidate.expression).map(candidate.of)))
}

private[late] object Candidates {
  val Empty: Candidates = Candidates(Nil, Nil)
}
