package io.sbbf.core.predicate

/**
 * The result of evaluating a predicate over the rows of one row group, in SQL's three-valued
 * logic. An unknown result is always [[Verdict.MightMatch]], which keeps the row group.
 */
sealed abstract class Verdict(val name: String) extends Product with Serializable {
  import Verdict._

  def and(other: => Verdict): Verdict = this match {
    case CannotMatch => CannotMatch
    case AllMatch => other
    case MightMatch => if (other == CannotMatch) CannotMatch else MightMatch
  }

  def or(other: => Verdict): Verdict = this match {
    case AllMatch => AllMatch
    case CannotMatch => other
    case MightMatch => if (other == AllMatch) AllMatch else MightMatch
  }
}

object Verdict {

  /** No row makes the predicate TRUE. */
  case object CannotMatch extends Verdict("cannot_match")

  /** Nothing is proven. */
  case object MightMatch extends Verdict("might_match")

  /** Every row makes the predicate TRUE. */
  case object AllMatch extends Verdict("all_match")
}
