package io.sbbf.spark.late

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  InSet,
  KnownFloatingPointNormalized,
  Literal
}
import org.apache.spark.sql.catalyst.optimizer.{BuildRight, NormalizeNaNAndZero}
import org.apache.spark.sql.catalyst.plans.{InnerLike, JoinType, LeftSemi}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.sbbf.spark.scan.LateKeys

/**
 * One of the keys of a broadcast join. A streamed row without one of its values joins with nothing.
 *
 * @param column the number of the key among the join's keys
 * @param expression the streamed side's expression of the key
 */
private[late] final class JoinKey(table: JoinTable, column: Int, val expression: Expression)
    extends Candidate {

  override def of(other: Expression): Candidate = new JoinKey(table, column, other)

  override def example: Option[Expression] =
    Try(Literal.default(expression.dataType)).toOption.map(any =>
      InSet(expression, Set(any.value)))

  override def start(): Unit = ()

  override def resolved: Either[String, LateKeys] = table.values match {
    case Right(columns) =>
      val values = columns(column)
      val names = expression.references.map(_.name).toSeq.distinct
      Right(LateKeys(InSet(expression, values), values.size, LateKeys.Join(names)))
    case Left(reason) => Left(reason)
  }
}

private[late] object JoinKey {

  /** Returns the side of a join whose rows are looked up in the hash table of the other side. */
  def streamedSide(join: BroadcastHashJoinExec): SparkPlan =
    if (join.buildSide == BuildRight) join.left else join.right

  /** Returns the keys of a join, or the reason why they cannot prune its streamed side. */
  def of(join: BroadcastHashJoinExec, maxKeys: Int): Either[String, Seq[JoinKey]] = {
    val (build, buildKeys, streamedKeys) =
      if (join.buildSide == BuildRight) (join.right, join.rightKeys, join.leftKeys)
      else (join.left, join.leftKeys, join.rightKeys)
    build match {
      case _ if !dropsUnmatched(join.joinType) =>
        // its `sql` fails for some types
        val kind = join.joinType.getClass.getSimpleName.stripSuffix("$")
        Left(s"a join of type $kind keeps rows without a match")
      case stage: BroadcastQueryStageExec =>
        val table = new JoinTable(stage, buildKeys, maxKeys)
        Right(streamedKeys.zipWithIndex.collect {
          case (key, i) if !isNested(key.dataType) =>
            new JoinKey(table, i, withoutNormalization(key))
        })
      case _ => Left("a join's smaller side was not broadcast by adaptive execution")
    }
  }

  private def dropsUnmatched(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi => true
    case _ => false
  }

  /** Returns whether values of the type are views of a row, which the hash table reuses. */
  private def isNested(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _ => false
  }

  /** Returns a key as a test for literals sees it: the two zeros are equal, and NaN equals NaN. */
  private def withoutNormalization(key: Expression): Expression = key match {
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(value)) => value
    case _ => key
  }
}
