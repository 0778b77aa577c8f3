package io.sbbf.spark.late

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  InSet,
  KnownFloatingPointNormalized
}
import org.apache.spark.sql.catalyst.optimizer.{BuildRight, NormalizeNaNAndZero}
import org.apache.spark.sql.catalyst.plans.{InnerLike, JoinType, LeftSemi}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.joins.{BroadcastHashJoinExec, HashJoin}
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.spark.scan.LateKeys

/**
 * Reads the keys of broadcast joins whose build side was broadcast. A streamed row without one of
 * these keys joins with nothing.
 */
private[late] object JoinKeys {

  /** Returns the side of a join whose rows are looked up in the hash table of the other side. */
  def streamedSide(join: BroadcastHashJoinExec): SparkPlan =
    if (join.buildSide == BuildRight) join.left else join.right

  /**
   * Returns the keys of a join as predicates over the streamed side: one for each pair of join
   * keys.
   *
   * @param most the most keys that are read
   */
  def of(join: BroadcastHashJoinExec, most: Int): FoundKeys = {
    val (build, buildKeys, streamedKeys) =
      if (join.buildSide == BuildRight) (join.right, join.rightKeys, join.leftKeys)
      else (join.left, join.leftKeys, join.rightKeys)
    build match {
      case _ if !dropsUnmatched(join.joinType) =>
        // its `sql` fails for some types
        val kind = join.joinType.getClass.getSimpleName.stripSuffix("$")
        FoundKeys.because(s"a join of type $kind keeps rows without a match")
      case stage: BroadcastQueryStageExec if stage.isMaterialized =>
        SparkInternals.hashTableKeys(stage.broadcast.relationFuture.get.value) match {
          case Some(rows) =>
            distinct(rows, buildKeys, most) match {
              case Right(values) => FoundKeys(usable(values, streamedKeys), Nil)
              case Left(reason) => FoundKeys.because(reason)
            }
          case None => FoundKeys.because("the broadcast of a join is not Spark's own hash table")
        }
      case _ => FoundKeys.because("a join's build side was not broadcast by adaptive execution")
    }
  }

  private def dropsUnmatched(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi => true
    case _ => false
  }

  /** Returns the values of each key as a predicate over the streamed side. */
  private def usable(values: Seq[Set[Any]], streamedKeys: Seq[Expression]): Seq[LateKeys] =
    values.zip(streamedKeys).collect {
      case (keys, key) if !isNested(key.dataType) =>
        val columns = key.references.map(_.name).toSeq.distinct
        LateKeys(InSet(withoutNormalization(key), keys), keys.size, LateKeys.Join(columns))
    }

  /** Returns whether values of the type are views of a row, which is reused. */
  private def isNested(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _ => false
  }

  /** Returns a key as a test for literals sees it: the two zeros are equal, and NaN equals NaN. */
  private def withoutNormalization(key: Expression): Expression = key match {
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(value)) => value
    case _ => key
  }

  /**
   * Returns the distinct values of each key in the rows of a hash table, without NULL, or the
   * reason why there are too many.
   */
  private def distinct(
      rows: Iterator[InternalRow],
      keys: Seq[Expression],
      most: Int): Either[String, Seq[Set[Any]]] = {
    val readers = keyReaders(keys)
    val values = keys.map(_ => mutable.HashSet.empty[Any])
    val mostRows = most * RowsPerKey
    var read = 0L
    while (rows.hasNext && read < mostRows && values.forall(_.size <= most)) {
      val row = rows.next()
      read += 1
      readers.zip(values).foreach { case (reader, known) =>
        reader.eval(row) match {
          case null =>
          case text: UTF8String => known += text.clone() // the row is reused
          case value => known += value
        }
      }
    }
    if (values.exists(_.size > most)) Left(f"a join has more than $most%,d keys")
    else if (rows.hasNext) Left(f"a join's smaller side has more than $mostRows%,d rows")
    else Right(values.map(_.toSet))
  }

  /**
   * Limits the rows that are read, as a multiple of the limit of keys: a hash table may return a key
   * once for each of its rows.
   */
  private final val RowsPerKey = 4L

  /** Returns the expressions of the keys over the table's rows, which may pack them into a long. */
  private def keyReaders(keys: Seq[Expression]): Seq[Expression] = {
    val stored = HashJoin.rewriteKeyExpr(keys)
    val isPacked = stored.size == 1 && stored.head.dataType == LongType
    keys.indices.map { i =>
      if (isPacked) HashJoin.extractKeyExprAt(keys, i)
      else BoundReference(i, keys(i).dataType, nullable = true)
    }
  }
}
