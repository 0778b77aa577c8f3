package io.sbbf.spark.column

import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate.{
  IsNotNull,
  IsNull,
  IsNullDecimal,
  Leaf,
  Test,
  Unknown
}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}

/**
 * A column, or what lies within it. Of what lies within an array or a map an expression is one value of many, or
 * NULL.
 *
 * @param keys tests of which one that fails for a row makes this NULL in that row
 */
private[spark] final case class Column(
    path: ColumnPath,
    dataType: DataType,
    keys: Seq[RowGroupPredicate] = Nil) {

  def name: String = path.toString

  /** What is TRUE at least where `test` is TRUE of this value. */
  def passes(test: Test): RowGroupPredicate = test match {
    case IsNull | IsNullDecimal(_, _) if !isSingle => uncounted
    case IsNotNull if !isSingle => allOf(keys)
    case _ => allOf(keys :+ Leaf(path, test))
  }

  private def allOf(tests: Seq[RowGroupPredicate]): RowGroupPredicate =
    if (tests.isEmpty) uncounted else RowGroupPredicate.and(tests)

  private def uncounted = Unknown(s"NULLs of an array, a map or a struct, or within one: $name")

  /**
   * Whether a row has one value of it, and of no type that is made of others. Only of such a column are the NULLs
   * those that a file counts.
   */
  def isSingle: Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case _ => !path.isRepeated
  }

  def /(step: ColumnPath.Step, dataType: DataType): Column =
    copy(path = path / step, dataType = dataType)
}
