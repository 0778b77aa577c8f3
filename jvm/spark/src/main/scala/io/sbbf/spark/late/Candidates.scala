package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}

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

  /** Returns those that concern columns of one side of a join, whose rows the join leaves as they are. */
  def restrictedTo(output: AttributeSet): Candidates =
    copy(all = all.filter(_.references.subsetOf(output)))

  /** Returns them in terms of the columns that `definitions` are about. */
  def replace(definitions: Attribute => Expression): Candidates =
    copy(all = all.map(_.replace(definitions)))
}

private[late] object Candidates {
  val Empty: Candidates = Candidates(Nil, Nil)
}
