package io.sbbf.spark.column

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{
  CallMethodViaReflection,
  Expression,
  Literal,
  UserDefinedExpression
}
import org.apache.spark.sql.types.ObjectType

/** Functions of users, of catalogs and of typed datasets. What their calls share or do is not known. */
private[spark] object UserFunctions {

  /** Returns whether an expression calls any. */
  def areIn(expression: Expression): Boolean = expression.exists {
    case _: UserDefinedExpression => true
    case constant: Literal => constant.dataType.isInstanceOf[ObjectType] // as of Dataset.filter
    case _: CallMethodViaReflection => true
    case call: StaticInvoke => !call.staticObject.getName.startsWith("org.apache.spark.")
    case _ => false
  }
}
