package io.sbbf.spark.late

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PredicateHelper}
import org.apache.spark.sql.execution.{ExecSubqueryExpression, ScalarSubquery}

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.scan.LateKeys

/**
 * A conjunct of a filter that contains scalar subqueries. Spark would run them before the filter;
 * it keeps the results of those that run here.
 */
private[late] final class SubqueryResults(val expression: Expression) extends Candidate {

  private def subqueries: Seq[ScalarSubquery] = expression.collect { case s: ScalarSubquery => s }

  override def of(other: Expression): Candidate = new SubqueryResults(other)

  override def example: Option[Expression] =
    Try(withResults(s => Literal.default(s.dataType))).toOption

  override def start(): Unit = subqueries.foreach(_.plan.prepare())

  /** If a subquery fails, the filter reports it when it runs. */
  override def resolved: Either[String, LateKeys] =
    try {
      subqueries.foreach(_.updateResult())
      val filter = withResults(s => Literal(s.eval(null), s.dataType))
      Right(LateKeys(filter, subqueries.size, LateKeys.Subquery))
    } catch {
      case RecoverableError(_) => Left("a subquery failed")
    }

  private def withResults(of: ScalarSubquery => Literal): Expression =
    expression.transform { case s: ScalarSubquery => of(s) }
}

private[late] object SubqueryResults extends PredicateHelper {

  /** Returns the conjuncts of a filter that contain subqueries. */
  def of(condition: Expression): Seq[SubqueryResults] =
    splitConjunctivePredicates(condition)
      .filter(c => c.deterministic && ExecSubqueryExpression.hasSubquery(c))
      .map(new SubqueryResults(_))
}
