package io.sbbf.spark.column

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.{expressions => sql}

/** Extractors of the expressions that predicates are made of. */
private[spark] object CatalystExtractors {

  /** Matches what has one value for the whole query; none that evaluating raises an error for. */
  object Constant {
    def unapply(expression: Expression): Option[Literal] = expression match {
      case literal: Literal => Some(literal)
      case e if e.resolved && e.foldable && e.deterministic =>
        try Some(Literal(e.eval(), e.dataType))
        catch { case NonFatal(_) => None }
      case _ => None
    }
  }

  /** Matches lists of nothing but constants, with their values. */
  object Constants {
    def unapply(list: Seq[Expression]): Option[Seq[Any]] = {
      val literals = list.flatMap(Constant.unapply(_))
      if (literals.size == list.size) Some(literals.map(_.value)) else None
    }
  }

  /** Matches comparisons, the constant on their right side if one is there. */
  object Comparison {

    /** The left side, the comparison as such, and the right side. */
    def unapply(expression: Expression): Option[(Expression, Expression, Expression)] =
      expression match {
        case c: sql.BinaryComparison =>
          val ordered = if (c.left.foldable && !c.right.foldable) turned(c) else c
          Some((ordered.left, ordered, ordered.right))
        case _ => None
      }

    private def turned(c: sql.BinaryComparison): sql.BinaryComparison = c match {
      case sql.EqualTo(l, r) => sql.EqualTo(r, l)
      case sql.EqualNullSafe(l, r) => sql.EqualNullSafe(r, l)
      case sql.LessThan(l, r) => sql.GreaterThan(r, l)
      case sql.LessThanOrEqual(l, r) => sql.GreaterThanOrEqual(r, l)
      case sql.GreaterThan(l, r) => sql.LessThan(r, l)
      case sql.GreaterThanOrEqual(l, r) => sql.LessThanOrEqual(r, l)
      case other => other
    }
  }

  /** Matches IF, CASE and COALESCE (NVL, IFNULL and NULLIF are made of them), as one IF with the rest below. */
  object IfLike {
    def unapply(expression: Expression): Option[sql.If] = expression match {
      case choice: sql.If => Some(choice)
      case sql.CaseWhen(Seq((condition, value)), otherwise) =>
        Some(sql.If(condition, value, otherwise.getOrElse(Literal(null, expression.dataType))))
      case sql.CaseWhen((condition, value) +: branches, otherwise) =>
        Some(sql.If(condition, value, sql.CaseWhen(branches, otherwise)))
      case sql.Coalesce(Seq(first, second)) => Some(sql.If(sql.IsNotNull(first), first, second))
      case sql.Coalesce(first +: others) if others.nonEmpty =>
        Some(sql.If(sql.IsNotNull(first), first, sql.Coalesce(others)))
      case _ => None
    }
  }
}
