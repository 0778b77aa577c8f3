package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.ArrayType

private[spark] object ArrayLiteral {
  def unapply(expression: Expression): Option[Seq[Literal]] = expression match {
    case Literal(array: ArrayData, ArrayType(item, _)) =>
      Some(array.toSeq[Any](item).map(Literal(_, item)))
    case _ => None
  }
}
