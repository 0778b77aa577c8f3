package io.sbbf.core.predicate

/**
 * What is known about the rows of one row group under one predicate, in SQL's three-valued logic.
 * Unknown is always [[Verdict.MightMatch]]: the row group is kept.
 */
sealed abstract class Verdict extends Product with Serializable {
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
  case object CannotMatch extends Verdict

  /** Nothing is proven. */
  case object MightMatch extends Verdict

  /** Every row makes the predicate TRUE. */
  case object AllMatch extends Verdict
}
