package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet, Literal}
import org.apache.spark.sql.catalyst.plans.logical.ConstraintHelper
import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.types.BooleanType

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{ColumnPath, KeyFunction, RowGroupPredicate}
import io.sbbf.spark.column.CatalystExtractors.{Comparison, Constant, Constants, IfLike}
import io.sbbf.spark.column.ColumnExtractor
import io.sbbf.spark.predicate.cast.UnwrapCast

/**
 * Translates Catalyst predicates to [[RowGroupPredicate]]s. Guarantees that the result is TRUE
 * for every row for which the expression is TRUE. Unsupported parts become Unknown, with the
 * reason.
 *
 * @param partitionColumns the names of columns whose values come from directories, not from files
 * @param caseSensitive whether the session resolves names case-sensitively
 * @param byFieldId whether the session resolves Parquet columns by field id where a schema has it
 * @param functions returns the functions of columns whose keys an index has; called only for
 *   predicates that such keys could decide
 */
final class PredicateTranslator(
    partitionColumns: Set[String],
    caseSensitive: Boolean,
    byFieldId: Boolean,
    functions: () => Seq[KeyFunction] = () => Nil)
    extends ConstraintHelper {
  import RequiredTruth._

  private val ColumnOf = new ColumnExtractor(partitionColumns, caseSensitive, byFieldId)
  private val casts = new UnwrapCast(ColumnOf)
  private val OfArrays = new ArrayPredicates(ColumnOf, translate(_, True))
  private val keys = new KeyPredicates(ColumnOf, functions)
  private val whyNot = new UnsupportedReason(ColumnOf)

  /** Returns the conjunction of `filters`, without the non-deterministic ones. */
  def translate(filters: Seq[Expression]): RowGroupPredicate = {
    val conjuncts = filters.filter(_.deterministic)
    val single = filters.flatMap(singleColumns).toSet
    val read = conjuncts.filterNot(inferred(conjuncts).contains).map(translate(_, True))
    and(read).mergeByColumn(single)
  }

  /** Returns why parts of `filters` cannot prune, each reason once and without values. */
  def unused(filters: Seq[Expression]): Seq[String] = {
    val (certain, random) = filters.partition(_.deterministic)
    (translate(certain).unknowns ++ random.map(whyNot.nonDeterministic)).distinct
  }

  /** Returns the columns with one value in each row: all tests of one concern the same value. */
  private def singleColumns(filter: Expression): Seq[ColumnPath] = filter.collect {
    case ColumnOf(c) if c.isSingle => c.path
  }

  /**
   * Returns the IS NOT NULL predicates that Catalyst infers. Catalyst adds `c IS NOT NULL` to
   * every test that NULL does not pass, and the test itself already covers the null count. If
   * they counted, a predicate that no evidence can decide would still cause reads.
   */
  private def inferred(conjuncts: Seq[Expression]): ExpressionSet = {
    val others = conjuncts.filterNot(_.isInstanceOf[sql.IsNotNull])
    constructIsNotNullConstraints(ExpressionSet(others), output = Nil)
  }

  /** Returns a predicate that is TRUE wherever `expression` has the wanted truth. */
  private def translate(expression: Expression, wanted: RequiredTruth): RowGroupPredicate =
    expression match {
      case OfArrays(ofSomeItem) if wanted == True => ofSomeItem
      case sql.ArrayContains(ArrayLiteral(values), item) =>
        translate(sql.In(item, values), wanted)
      case sql.Not(child) => translate(child, wanted.ofNegation)
      case sql.And(left, right) => connect(left, right, wanted, isAll = wanted.truth)
      case sql.Or(left, right) => connect(left, right, wanted, isAll = !wanted.truth)
      case Constant(Literal(value, BooleanType)) => ColumnPredicates.constant(value, wanted)
      case IfLike(choice) => translateIf(choice, wanted)
      case sql.IsNull(child) => nullness(child, isNull = wanted.truth)
      case sql.IsNotNull(child) => nullness(child, isNull = !wanted.truth)
      // isnan is never NULL: if it is not TRUE, it is FALSE
      case sql.IsNaN(ColumnOf(c)) => ColumnPredicates.isNaN(c, wanted.nullIsFalse)
      case Comparison(left, sql.EqualNullSafe(_, _), Constant(right)) =>
        if (right.value == null) nullness(left, isNull = wanted.truth)
        else translate(sql.EqualTo(left, right), wanted.nullIsFalse)
      case Comparison(_, _, Constant(Literal(null, _))) => ColumnPredicates.constant(null, wanted)
      case Comparison(IfLike(choice), comparison, Constant(right)) =>
        compareChoice(choice, comparison, Seq(right), wanted)
      case sql.In(IfLike(choice), list) =>
        compareChoice(choice, expression, list, wanted)
      case _ => translateTest(expression, wanted)
    }

  private def connect(
      left: Expression,
      right: Expression,
      wanted: RequiredTruth,
      isAll: Boolean): RowGroupPredicate = {
    val both = Seq(translate(left, wanted), translate(right, wanted))
    if (isAll) and(both) else or(both)
  }

  /** Returns the predicate of a test of one column, or Unknown for any other expression. */
  private def translateTest(expression: Expression, wanted: RequiredTruth): RowGroupPredicate = {
    val test = expression match {
      case Comparison(ColumnOf(c), comparison, Constant(literal)) =>
        ColumnPredicates.compare(c, comparison, literal.value, wanted)
      case sql.In(ColumnOf(c), Constants(values)) =>
        ColumnPredicates.oneOf(c, values, wanted)
      case sql.InSet(ColumnOf(c), values) => ColumnPredicates.oneOf(c, values.toSeq, wanted)
      case sql.StartsWith(ColumnOf(c), Constant(prefix)) =>
        ColumnPredicates.startsWith(c, prefix.value, wanted)
      case sql.Like(ColumnOf(c), Constant(pattern), escape) =>
        ColumnPredicates.like(c, pattern.value, escape, wanted)
      case ColumnOf(c) if c.dataType == BooleanType =>
        ColumnPredicates.oneOf(c, Seq(true), wanted)
      // a comparison of any other boolean expression
      case Comparison(left, sql.EqualTo(_, _), Constant(Literal(truth: Boolean, BooleanType))) =>
        Some(translate(left, if (truth) wanted else wanted.ofNegation))
      // a cast may return NULL for reasons of its own
      case _ if !wanted.orNull => casts.translate(expression, negate = !wanted.truth)
      case _ => None
    }
    // a text has many keys, and NULL has none
    val ofKeys = if (wanted == True) keys.of(expression) else Nil
    if (ofKeys.isEmpty) test.getOrElse(Unknown(whyNot(expression)))
    else and(test.toSeq ++ ofKeys)
  }

  /**
   * Returns the predicate of a choice whose condition is supported in full. Such a condition
   * cannot raise an error that reading the rows would show. A condition must not contain another
   * choice, because each level would double the work.
   */
  private def translateIf(choice: sql.If, wanted: RequiredTruth): RowGroupPredicate = {
    val condition = choice.predicate
    val isSimple = !condition.exists(IfLike.unapply(_).isDefined)
    lazy val (met, unmet) = (translate(condition, True), translate(condition, NotTrue))
    if (isSimple && met.unknowns.isEmpty && unmet.unknowns.isEmpty)
      or(
        Seq(
          and(Seq(met, translate(choice.trueValue, wanted))),
          and(Seq(unmet, translate(choice.falseValue, wanted)))))
    else Unknown(whyNot(condition))
  }

  /** Translates `IF(p, a, b) < x` as `IF(p, a < x, b < x)`. */
  private def compareChoice(
      choice: sql.If,
      comparison: Expression,
      others: Seq[Expression],
      wanted: RequiredTruth): RowGroupPredicate =
    if (!others.forall(isConstant)) Unknown(whyNot(comparison))
    else {
      def compared(value: Expression) = comparison.withNewChildren(value +: others)
      translateIf(
        sql.If(choice.predicate, compared(choice.trueValue), compared(choice.falseValue)),
        wanted)
    }

  /** Returns a predicate that is TRUE wherever `expression` is NULL, or wherever it is not. */
  private def nullness(expression: Expression, isNull: Boolean): RowGroupPredicate = {
    def ofOperands = {
      val operands = expression.children.map(nullness(_, isNull))
      if (isNull) or(operands) else and(operands)
    }
    expression match {
      case ColumnOf(c) => ColumnPredicates.nullness(c, isNull)
      case Constant(literal) =>
        if ((literal.value == null) == isNull) RowGroupPredicate.True else RowGroupPredicate.False
      case IfLike(choice) =>
        def tested(e: Expression) = if (isNull) sql.IsNull(e) else sql.IsNotNull(e)
        translateIf(
          sql.If(choice.predicate, tested(choice.trueValue), tested(choice.falseValue)),
          True)
      case sql.EqualNullSafe(_, _) | sql.IsNull(_) | sql.IsNotNull(_) | sql.IsNaN(_) =>
        if (isNull) RowGroupPredicate.False else RowGroupPredicate.True
      case _: sql.Not | _: sql.BinaryComparison | _: sql.StringPredicate => ofOperands
      case sql.And(_, _) | sql.Or(_, _) if isNull => ofOperands
      case _ => Unknown(whyNot(expression))
    }
  }

  private def isConstant(expression: Expression): Boolean =
    Constant.unapply(expression).isDefined
}
