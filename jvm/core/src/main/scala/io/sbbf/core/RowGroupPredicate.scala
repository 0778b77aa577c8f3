package io.sbbf.core

/**
 * A query's predicate as far as evidence about row groups can answer it. Immutable, thread-safe, compared by
 * content. Whatever a query asks that no evidence can answer is [[RowGroupPredicate.Unknown]].
 */
sealed abstract class RowGroupPredicate extends Product with Serializable {
  import RowGroupPredicate._

  /**
   * Asks each leaf for its own verdict and combines them, left to right, as far as needed: evidence of
   * different kinds may refute different arms of an OR in the same row group.
   */
  final def evaluate(ask: Leaf => Verdict): Verdict = this match {
    case leaf: Leaf => ask(leaf)
    case And(children) =>
      children.foldLeft[Verdict](Verdict.AllMatch)((sofar, child) =>
        sofar and child.evaluate(ask))
    case Or(children) =>
      children.foldLeft[Verdict](Verdict.CannotMatch)((sofar, child) =>
        sofar or child.evaluate(ask))
    case Never => Verdict.CannotMatch
    case Unknown => Verdict.MightMatch
  }

  final def leaves: Seq[Leaf] = this match {
    case leaf: Leaf => Seq(leaf)
    case And(children) => children.flatMap(_.leaves)
    case Or(children) => children.flatMap(_.leaves)
    case Never | Unknown => Nil
  }

  /** Whether its leaves could refute it at all; if not, no file need be read. */
  final def isUsable: Boolean = evaluate(_ => Verdict.CannotMatch) == Verdict.CannotMatch

  /**
   * NOT, pushed down to the leaves, where it is one test more. A row for which this is NULL matches neither
   * this nor its negation; so [[Never]], which may stand for FALSE as for NULL, turns into [[Unknown]]. So does
   * a leaf within an array or a map: that no element passes is another thing than that one fails.
   */
  final def negated: RowGroupPredicate = this match {
    case And(children) => Or(children.map(_.negated))
    case Or(children) => And(children.map(_.negated))
    case Leaf(column, _) if column.isRepeated => Unknown
    case Leaf(column, test) => Leaf(column, test.negated)
    case Never | Unknown => Unknown
  }
}

object RowGroupPredicate {
  final case class And(children: Seq[RowGroupPredicate]) extends RowGroupPredicate
  final case class Or(children: Seq[RowGroupPredicate]) extends RowGroupPredicate

  /** A test of one column. Where a row holds many of its values, one that passes makes the row match. */
  final case class Leaf(column: ColumnPath, test: Test) extends RowGroupPredicate

  object Leaf {

    /** A test of a column, or of a field within structs, found by names alone. */
    def apply(column: Seq[String], test: Test): Leaf = Leaf(ColumnPath.named(column), test)
  }

  /** Matches no row, whatever the row group holds (`x IN ()`, `x = NULL`). */
  case object Never extends RowGroupPredicate
  case object Unknown extends RowGroupPredicate

  /** What a leaf asks of its column. Each is NULL, hence no match, for a NULL row, but for the two about NULL. */
  sealed abstract class Test extends Product with Serializable {
    def negated: Test = this match {
      case In(values) => NotIn(values)
      case NotIn(values) => In(values)
      case Less(than, orEqual) => Greater(than, !orEqual)
      case Greater(than, orEqual) => Less(than, !orEqual)
      case IsNull => IsNotNull
      case IsNotNull => IsNull
    }
  }

  /** Equal to one of the values (Spark's equality: NaN equals NaN, the two zeros are equal). */
  final case class In(values: Seq[Value]) extends Test

  /** Not NULL and equal to none of the values. */
  final case class NotIn(values: Seq[Value]) extends Test
  final case class Less(than: Value, orEqual: Boolean) extends Test
  final case class Greater(than: Value, orEqual: Boolean) extends Test
  case object IsNull extends Test
  case object IsNotNull extends Test
}
