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
import org.apache.spark.sql.catalyst.plans.{Inner, LeftSemi}
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
      case _ if join.joinType != Inner && join.joinType != LeftSemi =>
        // its `sql` fails for some types
        val kind = join.joinType.getClass.getSimpleName.stripSuffix("$")
        FoundKeys.because(s"a join of type $kind keeps rows without a match")
      case stage: BroadcastQueryStageExec if stage.isMaterialized =>
        SparkInternals.hashTableKeys(stage.broadcast.relationFuture.get.value) match {
          case Some(rows) => found(distinct(rows, buildKeys, most), streamedKeys, most)
          case None => FoundKeys.because("the broadcast of a join is not Spark's own hash table")
        }
      case _ => FoundKeys.because("a join's build side was not broadcast by adaptive execution")
    }
  }

  private def found(
      values: Option[Seq[Set[Any]]],
      streamedKeys: Seq[Expression],
      most: Int): FoundKeys =
    values match {
      case None => FoundKeys.because(f"a join has more than $most%,d keys")
      case Some(columns) =>
        val usable = columns.zip(streamedKeys).collect {
          case (keys, key) if !isNested(key.dataType) =>
            val names = key.references.map(_.name).mkString(", ")
            LateKeys(InSet(withoutNormalization(key), keys), keys.size, s"a join on $names")
        }
        FoundKeys(usable, Nil)
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
   * Returns the distinct values of each key in the rows of a hash table, without NULL. Returns None
   * if a key has more than `most`.
   */
  private def distinct(
      rows: Iterator[InternalRow],
      keys: Seq[Expression],
      most: Int): Option[Seq[Set[Any]]] = {
    val readers = keyReaders(keys)
    val values = keys.map(_ => mutable.HashSet.empty[Any])
    var left = most * MostRows
    while (rows.hasNext && left > 0 && values.forall(_.size <= most)) {
      val row = rows.next()
      left -= 1
      readers.zip(values).foreach { case (reader, known) =>
        reader.eval(row) match {
          case null =>
          case text: UTF8String => known += text.clone() // the row is reused
          case value => known += value
        }
      }
    }
    if (rows.hasNext || values.exists(_.size > most)) None else Some(values.map(_.toSet))
  }

  /** The most rows that are read for each key: the table returns a key once for each of its rows. */
  private final val MostRows = 4L

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
