package io.sbbf.spark.late

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Cast,
  Coalesce,
  Expression,
  InSet,
  IsNull,
  KnownFloatingPointNormalized,
  Literal,
  Or,
  RowOrdering
}
import org.apache.spark.sql.catalyst.optimizer.{BuildRight, NormalizeNaNAndZero}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastHashJoinExec}
import org.apache.spark.sql.types.{
  ArrayType,
  BinaryType,
  ByteType,
  DataType,
  DoubleType,
  FloatType,
  IntegerType,
  LongType,
  MapType,
  ShortType,
  StringType,
  StructType
}

import io.sbbf.spark.scan.LateKeys

/**
 * One of the keys of a join. A row of the side that is pruned joins with nothing without one of its
 * values.
 *
 * @param other the other side
 * @param number the number of the key among the join's keys
 * @param expression the expression of the key over the rows of the side that is pruned
 * @param isAwaited whether the join runs in a later stage than the scan
 */
private[late] final class JoinKey(
    val other: JoinSide,
    val number: Int,
    val expression: Expression,
    isAwaited: Boolean)
    extends Candidate {
  import JoinKey._

  override def of(another: Expression): Candidate =
    new JoinKey(other, number, another, isAwaited)

  override def example: Option[Expression] =
    Try(Literal.default(expression.dataType)).toOption.map(any => holding(Set(any.value)))

  override def start(): Unit = ()

  override def resolved: Either[String, LateKeys] =
    other
      .values(number)
      .map(values => LateKeys(holding(values), values.size, LateKeys.Join(names)))

  override def filtersRows: Boolean = isAwaited && canFilterRows

  /**
   * Whether rows of the scan may be tested for the key's values. They have passed no filter of the
   * query yet, so an expression may fail for them. And a test for literals sees floating point
   * numbers in another way than a join does.
   */
  def canFilterRows: Boolean = expression match {
    case column: Attribute => !isFloating(column.dataType)
    case Coalesce(Seq(column: Attribute, _: Literal)) => !isFloating(column.dataType)
    case Cast(column: Attribute, wider, _, _) =>
      Seq(column.dataType, wider).forall(Integers) && Cast.canUpCast(column.dataType, wider)
    case _ => false
  }

  private def isFloating(dataType: DataType): Boolean =
    dataType == FloatType || dataType == DoubleType

  /** Why no scan waits for the key. */
  def notAwaited: String =
    s"${LateKeys.Join(names).text}: its other side is not known to be much smaller"

  private def names: Seq[String] = expression.references.map(_.name).toSeq.distinct

  /**
   * Spark takes the operands of `<=>` for a default where they are NULL. Whether the default is among
   * the values is unknown for types that a set compares in another way than a join: binaries and NaN.
   */
  private def holding(values: Set[Any]): Expression = expression match {
    case Coalesce(Seq(value, Literal(default, dataType))) =>
      if (values(default) || dataType == BinaryType || isFloating(dataType))
        Or(InSet(value, values), IsNull(value))
      else InSet(value, values)
    case value => InSet(value, values)
  }
}

private[late] object JoinKey {
  private val Integers: Set[DataType] = Set(ByteType, ShortType, IntegerType, LongType)

  /** Returns whether a join streams its left side, whose rows it looks up among those of the right. */
  def streamsLeft(join: BroadcastHashJoinExec): Boolean = join.buildSide == BuildRight

  /**
   * Returns the keys of a join that its left or right side may be pruned by, or why there are none.
   *
   * @param other the other side, as it will run
   */
  def ofSide(
      join: BaseJoinExec,
      isLeft: Boolean,
      other: SparkPlan,
      maxKeys: Int): Either[String, Seq[JoinKey]] = {
    val sides = PrunableSides.of(join.joinType)
    val (isPrunable, keys, others) =
      if (isLeft) (sides.left, join.leftKeys, join.rightKeys)
      else (sides.right, join.rightKeys, join.leftKeys)
    if (!isPrunable) Left(keepsRows(join.joinType))
    else {
      val side = new JoinSide(other, others, maxKeys)
      Right(keys.zipWithIndex.collect {
        case (key, i) if isComparable(key.dataType) =>
          new JoinKey(side, i, withoutNormalization(key), isAwaited = false)
      })
    }
  }

  private def keepsRows(joinType: JoinType): String = {
    // its `sql` fails for some types
    val kind = joinType.getClass.getSimpleName.stripSuffix("$")
    s"a join of type $kind keeps rows without a match"
  }

  /** Returns whether equal keys have equal values, which are no views of a row that is reused. */
  private def isComparable(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case text: StringType => text == StringType // others have a collation
    case other => RowOrdering.isOrderable(other)
  }

  /** Returns a key as a test for literals sees it: the two zeros are equal, and NaN equals NaN. */
  private def withoutNormalization(key: Expression): Expression = key match {
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(value)) => value
    case _ => key
  }
}
