package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{Expression, In, Literal, PredicateHelper}
import org.apache.spark.sql.execution.{ExecSubqueryExpression, InSubqueryExec, ScalarSubquery}

import io.sbbf.spark.scan.LateKeys

/** Reads the results of subqueries in the filters of a plan that is about to run. */
private[late] object SubqueryKeys extends PredicateHelper {

  /**
   * Returns the conjuncts of a filter that contain subqueries, with their results. Runs these
   * subqueries: the filter would run them next, and Spark keeps the results.
   *
   * @param most the most results of one subquery
   */
  def of(condition: Expression, most: Int): FoundKeys =
    splitConjunctivePredicates(condition)
      .filter(c => c.deterministic && ExecSubqueryExpression.hasSubquery(c))
      .map(resolved(_, most))
      .foldLeft(FoundKeys.Empty)(_ ++ _)

  private def resolved(conjunct: Expression, most: Int): FoundKeys = {
    var number = 0
    val filter = conjunct.transform {
      case scalar: ScalarSubquery =>
        scalar.updateResult()
        number += 1
        Literal(scalar.eval(null), scalar.dataType)
      case in: InSubqueryExec =>
        in.updateResult()
        val values = in.values().toSeq.flatten
        number += values.size
        In(in.child, values.map(Literal(_, in.child.dataType)))
    }
    if (number > most) FoundKeys.because(f"a subquery has more than $most%,d results")
    else FoundKeys(Seq(LateKeys(filter, number, LateKeys.Subquery)), Nil)
  }
}
