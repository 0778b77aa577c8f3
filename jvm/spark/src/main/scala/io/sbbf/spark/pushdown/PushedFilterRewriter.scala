package io.sbbf.spark.pushdown

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.sources._

import io.sbbf.parquet.statistics.DeclaredType

/**
 * Rewrites pushed filters so that parquet-mr, which evaluates them on what a file stores, drops
 * no row that passes the original filter in Spark. [[PushdownGuard]] states the reasons.
 *
 * @param columns the columns, each with its type if storing it as declared makes a difference,
 *   and otherwise None
 * @param isDeclared whether every file stores the column as the table declares it
 * @param countsNulls whether every file counts the column's NULLs
 */
private[spark] final class PushedFilterRewriter(
    columns: Map[String, Option[DeclaredType]],
    isDeclared: String => Boolean,
    countsNulls: String => Boolean) {
  import PushedValue._
  import PushedFilterRewriter._

  /**
   * Returns the conjuncts that remain. Each drops no row that passes all of `zoned`. An unchanged
   * conjunct is the same instance, as the two zeros are equal in Scala.
   *
   * @param zoned the conjuncts, as [[PushedFilterRewriter.withoutZone]] returns them
   */
  def all(zoned: Seq[Filter]): Seq[Filter] = {
    val bounded = zoned.flatMap(failedByNaN).toSet
    zoned.flatMap(rewrite(_, bounded))
  }

  /** @param bounded the columns of which the whole predicate lets no NaN pass */
  private def rewrite(filter: Filter, bounded: Set[String]): Option[Filter] = filter match {
    case And(left, right) =>
      val both = bounded ++ failedByNaN(left) ++ failedByNaN(right)
      (rewrite(left, both), rewrite(right, both)) match {
        case (Some(a), Some(b)) => Some(if ((a eq left) && (b eq right)) filter else And(a, b))
        case (a, b) => a.orElse(b)
      }
    case Or(left, right) =>
      for { a <- rewrite(left, bounded); b <- rewrite(right, bounded) } yield
        if ((a eq left) && (b eq right)) filter else Or(a, b)
    case Not(child) => if (isSafeNegated(child, bounded)) Some(filter) else None
    case EqualTo(column, value) => equal(column, value, filter)
    case EqualNullSafe(column, value) => equal(column, value, filter)
    case list @ In(column, values) => in(column, values.filter(_ != null).toSeq, list)
    case LessThan(column, value) =>
      val atMost = isSubMillis(value) && !isDeclared(column)
      only(column, value)(if (atMost) LessThanOrEqual(column, value) else filter)
    case LessThanOrEqual(column, value) =>
      only(column, value)(if (isZero(value)) LessThanOrEqual(column, zeros(value)._2) else filter)
    case GreaterThan(column, value) => above(column, value, bounded)(filter)
    case GreaterThanOrEqual(column, value) if isNaN(value) => equal(column, value, filter)
    case GreaterThanOrEqual(column, value) =>
      above(column, value, bounded)(
        if (isZero(value)) GreaterThanOrEqual(column, zeros(value)._1) else filter)
    case IsNull(column) => if (isSafeNullTest(column)) Some(filter) else None
    case StringStartsWith(column, value) => only(column, value)(filter)
    case StringEndsWith(column, value) => only(column, value)(filter)
    case StringContains(column, value) => only(column, value)(filter)
    case other => Some(other) // compares no value
  }

  private def only(column: String, value: Any)(safe: => Filter): Option[Filter] =
    if (isSafeOf(column, value)) Some(safe) else None

  private def isSafeOf(column: String, value: Any): Boolean =
    isSafe(value) || isDeclared(column) && isSafeIfDeclared(value)

  /** Returns `safe` for `>` and `>=`, which NaN passes in Spark. */
  private def above(column: String, value: Any, bounded: Set[String])(
      safe: => Filter): Option[Filter] =
    if (isFloating(value) && !bounded(column) && !isDeclared(column)) None
    else only(column, value)(safe)

  /**
   * Returns the filter for an equality. NaN has many bit patterns, and bloom filters hash the
   * bits. Equality with NaN therefore becomes `>` infinity, above which there is only NaN.
   */
  private def equal(column: String, value: Any, filter: Filter): Option[Filter] =
    if (isNaN(value) && isDeclared(column)) Some(GreaterThan(column, infinityLike(value)))
    else
      only(column, value) {
        if (isZero(value)) {
          val (lower, upper) = zeros(value)
          Or(EqualTo(column, lower), EqualTo(column, upper))
        } else filter
      }

  private def in(column: String, values: Seq[Any], filter: In): Option[Filter] =
    if (values.isEmpty || !values.forall(isSafeOf(column, _))) None
    else {
      val others = values.filterNot(isZero)
      // beside the list: Spark drops one of two zeros in a list as a duplicate
      val bothZeros = values.find(isZero).flatMap(zero => equal(column, zero, filter))
      if (others.size == filter.values.length) Some(filter)
      else
        (Some(In(column, others.toArray)).filter(_.values.nonEmpty) ++ bothZeros).reduceOption(Or)
    }

  /**
   * Returns whether NOT of `child` drops no row. Spark pushes NOT around comparisons and lists;
   * parquet-mr pushes it down to the comparisons.
   */
  private def isSafeNegated(child: Filter, bounded: Set[String]): Boolean = child match {
    case And(left, right) => isSafeNegated(left, bounded) && isSafeNegated(right, bounded)
    case Or(left, right) => isSafeNegated(left, bounded) && isSafeNegated(right, bounded)
    case EqualTo(column, value) => isSafeDifferent(column, value, bounded)
    case EqualNullSafe(column, value) =>
      // NULL passes it; parquet-mr ignores that a null count is missing
      countsNulls(column) && isSafeDifferent(column, value, bounded)
    case In(column, values) =>
      values.forall(v =>
        isSafeDifferent(column, v, bounded) && (!isWide(v) || isDeclared(column)))
    case IsNull(_) => true
    case IsNotNull(column) => isSafeNullTest(column)
    case other =>
      comparison(other).exists { case (column, value) =>
        isSafeDifferent(column, value, bounded) && !isZero(value)
      }
  }

  private def isSafeDifferent(column: String, value: Any, bounded: Set[String]): Boolean =
    isSafeOf(column, value) &&
      (isDeclared(column) || !isSubMillis(value) && (!isFloating(value) || bounded(column)))

  private def isSafeNullTest(column: String): Boolean =
    !mayReadNulls(column) && (!isNested(column) || countsNulls(column))

  /**
   * Returns whether Spark may read NULL for a stored value. Its row-based reader does so for
   * decimals that do not fit the table's precision.
   */
  private def mayReadNulls(column: String): Boolean = !isDeclared(column) &&
    columns.get(column).forall(_.exists(_.isInstanceOf[DeclaredType.Decimal]))
}

private[spark] object PushedFilterRewriter {
  import PushedValue._

  /**
   * Returns the filter with days and instants that are the same in every zone. Call it on the
   * driver, in whose zone Spark made the values.
   */
  def withoutZone(filter: Filter): Filter = mapValues(filter)(zoneless)

  /**
   * Returns the columns whose NULL passes the filter by `NOT (column <=> value)`, and the nested
   * columns whose NULL passes it by `IS NULL`. Not every writer counts the NULLs of a struct as
   * NULLs of its fields.
   */
  def passedByNull(filter: Filter, isNegated: Boolean = false): Set[String] = filter match {
    case And(left, right) => passedByNull(left, isNegated) ++ passedByNull(right, isNegated)
    case Or(left, right) => passedByNull(left, isNegated) ++ passedByNull(right, isNegated)
    case Not(child) => passedByNull(child, !isNegated)
    case EqualNullSafe(column, _) if isNegated => Set(column)
    case IsNull(column) if !isNegated && isNested(column) => Set(column)
    case IsNotNull(column) if isNegated && isNested(column) => Set(column)
    case _ => Set.empty
  }

  private def isNested(column: String): Boolean =
    UnresolvedAttribute.parseAttributeName(column).size > 1

  /** Returns the values of all comparisons and lists. */
  def values(filter: Filter): Seq[Any] = {
    val found = Seq.newBuilder[Any]
    mapValues(filter) { value =>
      found += value
      value
    }
    found.result()
  }

  private def mapValues(filter: Filter)(change: Any => Any): Filter = {
    def all(filter: Filter) = mapValues(filter)(change)
    filter match {
      case And(left, right) => And(all(left), all(right))
      case Or(left, right) => Or(all(left), all(right))
      case Not(child) => Not(all(child))
      case EqualTo(column, value) => EqualTo(column, change(value))
      case EqualNullSafe(column, value) => EqualNullSafe(column, change(value))
      case LessThan(column, value) => LessThan(column, change(value))
      case LessThanOrEqual(column, value) => LessThanOrEqual(column, change(value))
      case GreaterThan(column, value) => GreaterThan(column, change(value))
      case GreaterThanOrEqual(column, value) => GreaterThanOrEqual(column, change(value))
      case In(column, values) => In(column, values.map(change))
      case other => other
    }
  }

  private def comparison(filter: Filter): Option[(String, Any)] = filter match {
    case LessThan(column, value) => Some((column, value))
    case LessThanOrEqual(column, value) => Some((column, value))
    case GreaterThan(column, value) => Some((column, value))
    case GreaterThanOrEqual(column, value) => Some((column, value))
    case StringStartsWith(column, value) => Some((column, value))
    case StringEndsWith(column, value) => Some((column, value))
    case StringContains(column, value) => Some((column, value))
    case _ => None
  }

  /**
   * Returns the columns whose NaN fails the filter in Spark, which orders NaN above all others.
   */
  private def failedByNaN(filter: Filter): Set[String] = filter match {
    case And(left, right) => failedByNaN(left) ++ failedByNaN(right)
    case Or(left, right) => failedByNaN(left).intersect(failedByNaN(right))
    case EqualTo(column, value) if !isNaN(value) => Set(column)
    case EqualNullSafe(column, value) if !isNaN(value) => Set(column)
    case LessThan(column, _) => Set(column)
    case LessThanOrEqual(column, value) if !isNaN(value) => Set(column)
    case In(column, values) if !values.exists(isNaN) => Set(column)
    case _ => Set.empty
  }
}
