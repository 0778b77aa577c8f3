package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.{Expression, LambdaFunction, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.core.predicate.RowGroupPredicate.{True, Unknown}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}
import io.sbbf.spark.column.ColumnExtractor

/**
 * Reads predicates that ask whether an array has an item that passes a test, by what they say of that item:
 *
 * {{{
 *   array_contains(a, 5)                            a's item = 5
 *   exists(a, x -> x.id = 1 AND x.k IN (2, 3))      a's item.id = 1 AND a's item.k IN (2, 3)
 * }}}
 *
 * @param translate what is TRUE at least where a condition about such items is
 */
private[spark] final class ArrayPredicates(
    ColumnOf: ColumnExtractor,
    translate: Expression => RowGroupPredicate) {
  import ColumnExtractor.itemOf
  import ArrayPredicates.OfRows

  /**
   * What is TRUE at least where `expression` is; None if it is no such predicate. Of NOT, too: that no item passes
   * cannot be told from evidence about items.
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

  /** Where the expression is not TRUE of a count of none, nor of the NULL or -1 that an array that is NULL counts. */
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

  /** NULLs do not meet. */
  private def overlaps(array: Expression, values: Seq[Literal]): RowGroupPredicate =
    ofItem(array)(i => translate(sql.In(i, values)))

  /** Of a constant array one item would be taken for the first of them. */
  private def ofItem(array: Expression)(
      predicate: Expression => RowGroupPredicate): RowGroupPredicate =
    if (array.foldable) Unknown("an array that is constant") else predicate(itemOf(array))

  /** Also where NULL counts as FALSE (`spark.sql.legacy.followThreeValuedLogicInArrayExists` off). */
  private def exists(array: Expression, lambda: Expression): RowGroupPredicate = lambda match {
    case LambdaFunction(body, Seq(x: sql.NamedLambdaVariable), _) =>
      ofItem(array) { item =>
        val asked = translate(body.transform {
          case v: sql.NamedLambdaVariable if v.exprId == x.exprId => item
        })
        // what holds of the row's other columns, or always, still needs an item
        if (asked == True || body.exists(_.isInstanceOf[sql.AttributeReference]))
          RowGroupPredicate.and(Seq(asked, Unknown(OfRows)))
        else ColumnOf.unapply(item).fold(asked)(c => asked.mergeByColumn(isOneOf(c.path, _)))
      }
    case _ => Unknown(s"is not understood: ${array.prettyName}")
  }

  /** Whether each item has one value, or NULL, at this path: then all tests of it are about the same item. */
  private def isOneOf(items: ColumnPath, path: ColumnPath): Boolean = {
    val (start, rest) = path.steps.splitAt(items.steps.length)
    start == items.steps && !ColumnPath(rest).isRepeated
  }
}

private[spark] object ArrayPredicates {
  private val OfRows =
    "a condition on an array's items that asks other columns too, or always holds"
}
