package io.sbbf.core.predicate

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

  /** Why parts of it are unknown, each reason once. */
  final def unknowns: Seq[String] = this match {
    case And(children) => children.flatMap(_.unknowns).distinct
    case Or(children) => children.flatMap(_.unknowns).distinct
    case Unknown(reason) => Seq(reason)
    case Leaf(_, _) | False | True => Nil
  }

  /** Whether its leaves could refute it at all; if not, no file need be read. */
  final def canPrune: Boolean = evaluate(_ => Verdict.CannotMatch) == Verdict.CannotMatch

  /**
   * NOT, pushed down to the leaves, where it is one test more. A row for which this is NULL matches neither
   * this nor its negation; so [[Never]], which may stand for FALSE as for NULL, turns into [[Unknown]]. So does
   * a leaf within an array or a map: that no element passes is another thing than that one fails.
   */
  final def negated: RowGroupPredicate = this match {
    case And(children) => or(children.map(_.negated))
    case Or(children) => and(children.map(_.negated))
    case Leaf(column, _) if column.isRepeated => Unknown("NOT of a test of an array or a map")
    case Leaf(column, AllOf(tests)) => or(tests.map(t => Leaf(column, t.negated)))
    case Leaf(column, test: SimpleTest) => Leaf(column, test.negated)
    case True => False
    case False => Unknown("NOT of what never matches")
    case unknown: Unknown => unknown
  }

  /**
   * The same with all tests that an AND puts to one column in one leaf. Such tests have to be passed by one and
   * the same value, which evidence may rule out where it rules out none of them alone: `5 < c AND c < 9`.
   *
   * The result matches the same rows, but no longer tells FALSE from NULL: it is not to be negated.
   *
   * @param isSingle whether a column has one value in each row, or NULL; of others nothing is joined
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

  /** A test of one column. Where a row holds many of its values, one that passes makes the row match. */
  final case class Leaf(column: ColumnPath, test: Test) extends RowGroupPredicate {
    private[core] def isOfValues: Boolean = !test.passesNull
  }

  object Leaf {

    /** A test of a column, or of a field within structs, found by names alone. */
    def apply(column: Seq[String], test: Test): Leaf = Leaf(ColumnPath.named(column), test)
  }

  /** Matches no row, whatever the row group holds (`x IN ()`, `x = NULL`). */
  case object False extends RowGroupPredicate

  /** Matches every row. */
  case object True extends RowGroupPredicate

  /** @param reason why evidence cannot answer it, without any value of the query */
  final case class Unknown(reason: String) extends RowGroupPredicate

  /** AND, flat and without what decides nothing. */
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

  /** OR, flat and without what decides nothing. */
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

  /** What a leaf asks of its column. Each is NULL, hence no match, for a NULL row, but for the two about NULL. */
  sealed abstract class Test extends Product with Serializable {

    /** Whether it is TRUE of NULL. */
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

  /** Equal to one of the values (Spark's equality: NaN equals NaN, the two zeros are equal). */
  final case class In(values: Seq[Value]) extends SimpleTest

  /** Not NULL and equal to none of the values. */
  final case class NotIn(values: Seq[Value]) extends SimpleTest
  final case class Less(than: Value, orEqual: Boolean) extends SimpleTest

  /** Of floating-point numbers, NaN is the greatest. */
  final case class Greater(than: Value, orEqual: Boolean) extends SimpleTest
  case object IsNull extends SimpleTest

  /**
   * NULL, or a decimal that does not fit a column of this type, which Spark's row-based reader returns as NULL. Files
   * count the NULLs alone.
   */
  final case class IsNullDecimal(precision: Int, scale: Int) extends SimpleTest
  case object IsNotNull extends SimpleTest

  /** One value passes all of the tests, none of which is about NULL. */
  final case class AllOf(tests: Seq[SimpleTest]) extends Test

  /** What passes any test but IS NULL is not NULL. */
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
