package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.{Expression, LambdaFunction, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.predicate.RowGroupPredicate.{True, Unknown}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}
import io.sbbf.spark.column.ColumnExtractor

/**
 * Translates predicates that require an item of an array to pass a test into the test of that
 * item:
 *
 * {{{
 *   array_contains(a, 5)                            a's item = 5
 *   exists(a, x -> x.id = 1 AND x.k IN (2, 3))      a's item.id = 1 AND a's item.k IN (2, 3)
 * }}}
 *
 * @param translate the translation of a condition on such items, TRUE at least where it is TRUE
 */
private[spark] final class ArrayPredicates(
    ColumnOf: ColumnExtractor,
    translate: Expression => RowGroupPredicate) {
  import ColumnExtractor.itemOf
  import ArrayPredicates.OfRows

  /**
   * Returns a predicate that is TRUE at least where `expression` is TRUE. Returns None for other
   * expressions, and for NOT of such a predicate. Evidence of items cannot show that no item
   * passes.
   */
  def unapply(expression: Expression): Option[RowGroupPredicate] = expression match {
    case sql.ArrayContains(array, item: Literal) => Some(contains(array, item))
    case sql.ArraysOverlap(array, ArrayLiteral(values)) => Some(overlaps(array, values))
    case sql.ArraysOverlap(ArrayLiteral(values), array) => Some(overlaps(array, values))
    case sql.ArrayExists(array, lambda, _) => Some(exists(array, lambda))
    case sql.Not(comparison: sql.BinaryComparison) => counted(expression, comparison.children)
    case comparison: sql.BinaryComparison => counted(expression, comparison.children)
    case _ => None
  }

  /**
   * Returns the predicate of a comparison with a count or position of items, if it requires an
   * item. Such a comparison is not TRUE for 0, nor for NULL or -1, the counts of a NULL array.
   */
  private def counted(
      expression: Expression,
      sides: Seq[Expression]): Option[RowGroupPredicate] = {
    def isTrueOf(count: Expression)(n: Any): Boolean = {
      val replaced = expression.transform { case `count` => Literal(n, count.dataType) }
      !replaced.foldable || replaced.eval() == true
    }
    sides.collectFirst {
      case count @ sql.ArrayPosition(array, item: Literal)
          if !Seq(0L, null).exists(isTrueOf(count)) =>
        contains(array, item)
      case count @ sql.Size(sql.ArrayFilter(array, lambda), _)
          if !Seq(0, -1, null).exists(isTrueOf(count)) =>
        exists(array, lambda)
    }
  }

  private def contains(array: Expression, item: Literal): RowGroupPredicate =
    ofItem(array)(i => translate(sql.EqualTo(i, item)))

  /** Returns the predicate of `arrays_overlap`, in which NULLs do not match each other. */
  private def overlaps(array: Expression, values: Seq[Literal]): RowGroupPredicate =
    ofItem(array)(i => translate(sql.In(i, values)))

  /**
   * Returns the predicate of one item. A constant array is unsupported: its item would evaluate
   * to the first one.
   */
  private def ofItem(array: Expression)(
      predicate: Expression => RowGroupPredicate): RowGroupPredicate =
    if (array.foldable) Unknown("a constant array") else predicate(itemOf(array))

  /**
   * Returns the predicate of `exists`. It holds also where NULL counts as FALSE
   * (`spark.sql.legacy.followThreeValuedLogicInArrayExists` is off).
   */
  private def exists(array: Expression, lambda: Expression): RowGroupPredicate = lambda match {
    case LambdaFunction(body, Seq(x: sql.NamedLambdaVariable), _) =>
      ofItem(array) { item =>
        val test = translate(body.transform {
          case v: sql.NamedLambdaVariable if v.exprId == x.exprId => item
        })
        // a condition that reads other columns, or always holds, still requires an item
        if (test == True || body.exists(_.isInstanceOf[sql.AttributeReference]))
          RowGroupPredicate.and(Seq(test, Unknown(OfRows)))
        else ColumnOf.unapply(item).fold(test)(c => test.mergeByColumn(isOneOf(c.path, _)))
      }
    case _ => Unknown(s"unsupported expression: ${array.prettyName}")
  }

  /**
   * Returns whether each item has one value or NULL at `path`. All tests of `path` then concern
   * the same item.
   */
  private def isOneOf(items: ColumnPath, path: ColumnPath): Boolean = {
    val (start, rest) = path.steps.splitAt(items.steps.length)
    start == items.steps && !ColumnPath(rest).isRepeated
  }
}

private[spark] object ArrayPredicates {
  private val OfRows =
    "a condition on array items that reads other columns or always holds"
}
