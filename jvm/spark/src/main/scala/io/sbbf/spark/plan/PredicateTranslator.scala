package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.types.{BooleanType, DecimalType, DoubleType, FloatType}

import io.sbbf.core.RowGroupPredicate
import io.sbbf.core.RowGroupPredicate._

/**
 * Reads Catalyst predicates as [[RowGroupPredicate]]s. Guaranteed: a row for which the expression is TRUE is
 * one for which the result is TRUE; whatever cannot be read is Unknown.
 *
 * @param partitionColumns names whose values come from the directories and not from the files
 * @param caseSensitive how the session resolves names
 * @param byFieldId whether the session resolves Parquet columns by field id where a schema has them
 */
final class PredicateTranslator(
    partitionColumns: Set[String],
    val caseSensitive: Boolean,
    byFieldId: Boolean) {

  private val Column = new ColumnExtractor(partitionColumns, caseSensitive, byFieldId)
  private val Nested = new NestedTranslator(translate(_, negate = false))

  /** The conjunction of `filters`. */
  def translate(filters: Seq[Expression]): RowGroupPredicate = {
    val conjuncts = filters.filter(_.deterministic)
    And(conjuncts.filterNot(isImplied(_, conjuncts)).map(translate(_, negate = false)))
  }

  /**
   * Catalyst adds `c IS NOT NULL` to every test of c. Where another conjunct asks c, that one brings the null
   * count along; were it counted, a predicate that no evidence can answer would still cause reads.
   */
  private def isImplied(filter: Expression, conjuncts: Seq[Expression]): Boolean = filter match {
    case sql.IsNotNull(child) =>
      conjuncts.exists(c =>
        !c.isInstanceOf[sql.IsNotNull] && child.references.subsetOf(c.references))
    case _ => false
  }

  /** `expression`, or NOT of it: both are never TRUE where it is NULL. */
  private def translate(expression: Expression, negate: Boolean): RowGroupPredicate =
    expression match {
      case Nested(ofSomeItem) if !negate => ofSomeItem
      case sql.ArrayContains(ArrayLiteral(values), item) => translate(sql.In(item, values), negate)
      case sql.Not(child) => translate(child, !negate)
      case sql.And(left, right) => connect(And(_), Or(_), left, right, negate)
      case sql.Or(left, right) => connect(Or(_), And(_), left, right, negate)
      case Literal(null, BooleanType) => Never
      case Literal(truth: Boolean, BooleanType) => if (truth == negate) Never else Unknown
      case sql.EqualTo(Column(c), literal: Literal) => oneOf(c, Seq(literal.value), negate)
      case sql.EqualTo(literal: Literal, Column(c)) => oneOf(c, Seq(literal.value), negate)
      case sql.EqualNullSafe(Column(c), literal: Literal) => nullSafeEqual(c, literal, negate)
      case sql.EqualNullSafe(literal: Literal, Column(c)) => nullSafeEqual(c, literal, negate)
      case sql.In(Column(c), list) if list.forall(_.isInstanceOf[Literal]) =>
        oneOf(c, list.collect { case Literal(value, _) => value }, negate)
      case sql.InSet(Column(c), values) => oneOf(c, values.toSeq, negate)
      case sql.LessThan(Column(c), l: Literal) => order(c, l, Less(_, orEqual = false), negate)
      case sql.LessThan(l: Literal, Column(c)) => order(c, l, Greater(_, orEqual = false), negate)
      case sql.LessThanOrEqual(Column(c), l: Literal) =>
        order(c, l, Less(_, orEqual = true), negate)
      case sql.LessThanOrEqual(l: Literal, Column(c)) =>
        order(c, l, Greater(_, orEqual = true), negate)
      case sql.GreaterThan(Column(c), l: Literal) =>
        order(c, l, Greater(_, orEqual = false), negate)
      case sql.GreaterThan(l: Literal, Column(c)) => order(c, l, Less(_, orEqual = false), negate)
      case sql.GreaterThanOrEqual(Column(c), l: Literal) =>
        order(c, l, Greater(_, orEqual = true), negate)
      case sql.GreaterThanOrEqual(l: Literal, Column(c)) =>
        order(c, l, Less(_, orEqual = true), negate)
      case sql.IsNull(Column(c)) => isNull(c, negate)
      case sql.IsNotNull(Column(c)) => leaf(c, IsNotNull, negate)
      case Column(c) if c.dataType == BooleanType => oneOf(c, Seq(true), negate)
      case _ => Unknown
    }

  private type Connective = Seq[RowGroupPredicate] => RowGroupPredicate

  private def connect(
      plain: Connective,
      dual: Connective,
      left: Expression,
      right: Expression,
      negate: Boolean): RowGroupPredicate =
    (if (negate) dual else plain) (Seq(translate(left, negate), translate(right, negate)))

  private def leaf(column: Column, test: Test, negate: Boolean): RowGroupPredicate =
    column.passes(if (negate) test.negated else test)

  /** Spark may read a decimal that is too large for its column as NULL, where the file counts none. */
  private def isNull(column: Column, negate: Boolean): RowGroupPredicate =
    column.dataType match {
      case _: DecimalType if !negate => Unknown
      case _ => leaf(column, IsNull, negate)
    }

  /** A NULL in the list makes no row match, and under NOT none either. Of nothing, NOT IN is TRUE even for NULL. */
  private def oneOf(column: Column, values: Seq[Any], negate: Boolean): RowGroupPredicate = {
    val (nulls, others) = values.partition(_ == null)
    val literals = others.map(CatalystValue.convert(_, column.dataType))
    if (negate && nulls.nonEmpty) Never
    else if (others.isEmpty) if (negate) Unknown else Never
    else if (literals.contains(None)) Unknown
    else leaf(column, In(literals.flatten.toIndexedSeq), negate)
  }

  /** `c <=> v` is TRUE or FALSE, never NULL: its negation is also TRUE for a NULL row. */
  private def nullSafeEqual(
      column: Column,
      literal: Literal,
      negate: Boolean): RowGroupPredicate =
    if (literal.value == null) isNull(column, negate)
    else if (negate)
      Or(Seq(isNull(column, negate = false), oneOf(column, Seq(literal.value), negate)))
    else oneOf(column, Seq(literal.value), negate)

  /** Nothing in a file refutes `>` of a floating-point column: statistics leave NaN out, the greatest value. */
  private def order(
      column: Column,
      literal: Literal,
      test: io.sbbf.core.Value => Test,
      negate: Boolean): RowGroupPredicate =
    if (literal.value == null) Never
    else
      CatalystValue
        .convert(literal.value, column.dataType)
        .map(v => leaf(column, test(v), negate)) match {
        case Some(Leaf(_, _: Greater)) if isFloating(column) => Unknown
        case Some(predicate) => predicate
        case None => Unknown
      }

  private def isFloating(column: Column): Boolean =
    column.dataType == DoubleType || column.dataType == FloatType
}
