package io.sbbf.core.predicate

/**
 * A query's predicate, in the form that evidence about row groups can decide. Parts that no
 * evidence can decide are [[RowGroupPredicate.Unknown]]. Immutable, thread-safe, compared by
 * content.
 */
sealed abstract class RowGroupPredicate extends Product with Serializable {
  import RowGroupPredicate._

  /**
   * Evaluates each leaf on its own and combines the verdicts from left to right, as far as
   * needed. Evidence of different kinds may refute different arms of an OR in the same row group.
   */
  final def evaluate(evaluateLeaf: Leaf => Verdict): Verdict = this match {
    case leaf: Leaf => evaluateLeaf(leaf)
    case And(children) =>
      children.foldLeft[Verdict](Verdict.AllMatch)((sofar, child) =>
        sofar and child.evaluate(evaluateLeaf))
    case Or(children) =>
      children.foldLeft[Verdict](Verdict.CannotMatch)((sofar, child) =>
        sofar or child.evaluate(evaluateLeaf))
    case False => Verdict.CannotMatch
    case True => Verdict.AllMatch
    case Unknown(_) => Verdict.MightMatch
  }

  final def leaves: Seq[Leaf] = this match {
    case leaf: Leaf => Seq(leaf)
    case And(children) => children.flatMap(_.leaves)
    case Or(children) => children.flatMap(_.leaves)
    case False | True | Unknown(_) => Nil
  }

  /** Returns why parts of the predicate are unknown, each reason once. */
  final def unknowns: Seq[String] = this match {
    case And(children) => children.flatMap(_.unknowns).distinct
    case Or(children) => children.flatMap(_.unknowns).distinct
    case Unknown(reason) => Seq(reason)
    case Leaf(_, _) | False | True => Nil
  }

  /**
   * Returns whether the leaves could refute the predicate at all. If not, no file need be read.
   */
  final def canPrune: Boolean = evaluate(_ => Verdict.CannotMatch) == Verdict.CannotMatch

  /**
   * Returns whether the leaves about values could refute the predicate. If not, only an index could,
   * by the keys of a function.
   */
  final def canPruneByFiles: Boolean = evaluate { leaf =>
    if (leaf.column.function.isEmpty) Verdict.CannotMatch else Verdict.MightMatch
  } == Verdict.CannotMatch

  /**
   * Returns the negation, pushed down to the tests of the leaves. A row for which this predicate
   * is NULL matches neither this predicate nor its negation.
   *
   * The negation of [[False]], which stands for FALSE or NULL, is therefore [[Unknown]]. The
   * negation of a leaf within an array or a map, or of a function, is also [[Unknown]]: that no
   * element passes is not the same as that one fails.
   */
  final def negated: RowGroupPredicate = this match {
    case And(children) => or(children.map(_.negated))
    case Or(children) => and(children.map(_.negated))
    case Leaf(column, _) if column.isRepeated =>
      Unknown("NOT of a test on an array, a map or keys")
    case Leaf(column, AllOf(tests)) => or(tests.map(t => Leaf(column, t.negated)))
    case Leaf(column, test: SimpleTest) => Leaf(column, test.negated)
    case True => False
    case False => Unknown("NOT of a predicate that never matches")
    case unknown: Unknown => unknown
  }

  /**
   * Returns the predicate with all tests that an AND applies to one column merged into one leaf.
   * One and the same value has to pass them, which evidence may rule out although it rules out
   * none of them alone: `5 < c AND c < 9`.
   *
   * The result matches the same rows, but no longer distinguishes FALSE from NULL. Do not negate
   * it.
   *
   * @param isSingle whether a column has one value, or NULL, in each row; other columns are not
   *   merged
   */
  final def mergeByColumn(isSingle: ColumnPath => Boolean): RowGroupPredicate = this match {
    case And(children) =>
      val parts = children.map(_.mergeByColumn(isSingle)).flatMap {
        case And(nested) => nested
        case part => Seq(part)
      }
      val byColumn = parts
        .collect { case leaf: Leaf if isSingle(leaf.column) && leaf.isOfValues => leaf }
        .groupBy(_.column)
      and(parts.flatMap {
        case leaf: Leaf if leaf.isOfValues =>
          byColumn.get(leaf.column) match {
            case Some(same) =>
              if (same.head eq leaf) Some(Leaf(leaf.column, join(same))) else None
            case None => Some(leaf)
          }
        case part => Some(part)
      })
    case Or(children) => or(children.map(_.mergeByColumn(isSingle)))
    case other => other
  }
}

object RowGroupPredicate {
  final case class And(children: Seq[RowGroupPredicate]) extends RowGroupPredicate
  final case class Or(children: Seq[RowGroupPredicate]) extends RowGroupPredicate

  /**
   * A test of one column. If a row holds many values of the column, one passing value makes the
   * row match.
   */
  final case class Leaf(column: ColumnPath, test: Test) extends RowGroupPredicate {
    private[core] def isOfValues: Boolean = !test.passesNull
  }

  object Leaf {

    /** Returns a test of a column, or of a field within structs, found by names alone. */
    def apply(column: Seq[String], test: Test): Leaf = Leaf(ColumnPath.named(column), test)
  }

  /** Matches no row, whatever the row group holds (`x IN ()`, `x = NULL`). */
  case object False extends RowGroupPredicate

  /** Matches every row. */
  case object True extends RowGroupPredicate

  /**
   * @param reason the reason why evidence cannot decide this part, without any value of the query
   */
  final case class Unknown(reason: String) extends RowGroupPredicate

  /** Returns the AND of the parts, flat and without parts that decide nothing. */
  def and(parts: Seq[RowGroupPredicate]): RowGroupPredicate = {
    val others = parts.filter(_ != True).flatMap {
      case And(nested) => nested
      case part => Seq(part)
    }
    if (others.contains(False)) False
    else if (others.isEmpty) True
    else if (others.size == 1) others.head
    else And(others)
  }

  /** Returns the OR of the parts, flat and without parts that decide nothing. */
  def or(parts: Seq[RowGroupPredicate]): RowGroupPredicate = {
    val others = parts.filter(_ != False).flatMap {
      case Or(nested) => nested
      case part => Seq(part)
    }
    if (others.contains(True)) True
    else if (others.isEmpty) False
    else if (others.size == 1) others.head
    else Or(others)
  }

  /**
   * The test that a leaf applies to its column. All tests except those about NULL are NULL for a
   * NULL value, which is no match.
   */
  sealed abstract class Test extends Product with Serializable {

    /** Returns whether the test is TRUE for NULL. */
    def passesNull: Boolean = this match {
      case IsNull | IsNullDecimal(_, _) => true
      case _ => false
    }
  }

  sealed abstract class SimpleTest extends Test {
    def negated: SimpleTest = this match {
      case In(values) => NotIn(values)
      case NotIn(values) => In(values)
      case Less(than, orEqual) => Greater(than, !orEqual)
      case Greater(than, orEqual) => Less(than, !orEqual)
      case IsNull | IsNullDecimal(_, _) => IsNotNull
      case IsNotNull => IsNull
    }
  }

  /**
   * Passes a value that equals one of the values (Spark's equality: NaN equals NaN, the two zeros
   * are equal).
   */
  final case class In(values: Seq[Value]) extends SimpleTest

  /** Passes a value that is not NULL and equals none of the values. */
  final case class NotIn(values: Seq[Value]) extends SimpleTest
  final case class Less(than: Value, orEqual: Boolean) extends SimpleTest

  /** NaN is the greatest floating-point number. */
  final case class Greater(than: Value, orEqual: Boolean) extends SimpleTest
  case object IsNull extends SimpleTest

  /**
   * Passes NULL, and a decimal that does not fit a column of this type, which Spark's row-based
   * reader returns as NULL. Null counts in files include only the NULLs.
   */
  final case class IsNullDecimal(precision: Int, scale: Int) extends SimpleTest
  case object IsNotNull extends SimpleTest

  /** Passes a value that passes all of the tests, none of which is about NULL. */
  final case class AllOf(tests: Seq[SimpleTest]) extends Test

  /** Merges tests of one column. A value that passes any test but IS NULL is not NULL. */
  private def join(leaves: Seq[Leaf]): Test = {
    val tests = leaves.map(_.test).flatMap {
      case AllOf(several) => several
      case one: SimpleTest => Seq(one)
    }
    val ofValues = tests.distinct.filter(_ != IsNotNull)
    if (ofValues.isEmpty) IsNotNull
    else if (ofValues.size == 1) ofValues.head
    else AllOf(ofValues)
  }
}
