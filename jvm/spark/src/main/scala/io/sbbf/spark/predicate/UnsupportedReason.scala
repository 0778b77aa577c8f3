package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Cast,
  Expression,
  PlanExpression
}
import org.apache.spark.sql.catalyst.{expressions => sql}

import io.sbbf.spark.column.CatalystExtractors.Constant
import io.sbbf.spark.column.ColumnExtractor

/**
 * Explains why evidence cannot decide a predicate. A reason names functions and columns of the
 * query, but none of its values.
 */
private[spark] final class UnsupportedReason(ColumnOf: ColumnExtractor) {

  def apply(predicate: Expression): String = predicate match {
    case e if e.exists(isSubquery) =>
      "a comparison with a subquery whose value is unknown at plan time"
    case e if (e +: e.children).exists(c => c.foldable && Constant.unapply(c).isEmpty) =>
      "a constant that Spark cannot evaluate at plan time"
    case e: sql.BinaryComparison => comparison(e.left, e.right, e.symbol)
    case e @ (sql.In(_, _) | sql.InSet(_, _)) =>
      e.children.tail.find(_.references.nonEmpty) match {
        case Some(other) => comparison(e.children.head, other, "IN")
        case None => comparison(e.children.head, sql.Literal(null), "IN")
      }
    case e => s"unsupported expression: ${shape(e)}"
  }

  /** Returns the reason for a predicate with a non-deterministic function. */
  def nonDeterministic(predicate: Expression): String = {
    val source = predicate.collectFirst {
      case e if !e.deterministic && e.children.forall(_.deterministic) => e
    }
    s"non-deterministic: ${shape(source.getOrElse(predicate))}"
  }

  private def comparison(left: Expression, right: Expression, symbol: String): String = {
    val compared = Seq(left, right).filter(_.references.nonEmpty)
    compared.find(!isPlain(_)) match {
      case Some(Cast(child, _, _, _)) if !isPlain(child) =>
        s"a function of the column: ${shape(child)}"
      case Some(cast: Cast) => s"a cast of the column: ${shape(cast)}"
      case Some(function) => s"a function of the column: ${shape(function)}"
      case None if compared.size == 2 =>
        s"a comparison of two columns: ${shape(left)} $symbol ${shape(right)}"
      case None => compared.map(uncomparable).mkString
    }
  }

  private def isPlain(e: Expression): Boolean = e match {
    case _: AttributeReference | ColumnOf(_) => true
    case _ => false
  }

  private def uncomparable(e: Expression): String = e match {
    case ColumnOf(c) =>
      s"unsupported comparison with a literal: ${c.name} of type ${c.dataType.simpleString}"
    case other => s"not a column of the files: ${shape(other)}"
  }

  private def isSubquery(e: Expression): Boolean = e match {
    case _: PlanExpression[_] => true
    case _ => false
  }

  private def shape(e: Expression): String = e match {
    case ColumnOf(c) => c.name
    case a: AttributeReference => a.name
    case Cast(child, dataType, _, _) if isPlain(child) =>
      s"cast(${shape(child)} as ${dataType.simpleString})"
    case other => s"${other.prettyName}(${columns(other).mkString(", ")})"
  }

  private def columns(e: Expression): Seq[String] = e match {
    case ColumnOf(c) => Seq(c.name)
    case a: AttributeReference => Seq(a.name)
    case other => other.children.flatMap(columns).distinct
  }
}
