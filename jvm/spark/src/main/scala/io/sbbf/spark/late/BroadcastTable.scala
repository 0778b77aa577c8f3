package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.joins.HashJoin
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.LongType

/**
 * Reads the keys of a broadcast hash table.
 *
 * @param stage the stage that has broadcast the table
 */
private[late] final class BroadcastTable(
    stage: BroadcastQueryStageExec,
    keys: Seq[Expression],
    maxKeys: Int)
    extends KeyTable(maxKeys) {
  import BroadcastTable._

  /** On a cluster the driver has only the serialized table, so a large one is left alone. */
  override lazy val values: Either[String, Seq[Set[Any]]] = {
    val statistics = stage.getRuntimeStatistics
    if (!stage.isMaterialized) Left("a join's smaller side was not broadcast yet")
    else if (statistics.rowCount.exists(_ > maxRows)) Left(tooManyRows)
    else if (statistics.sizeInBytes > MaxBytes)
      Left(f"a join's smaller side has more than $MaxBytes%,d bytes")
    else
      SparkInternals.hashTableKeys(stage.broadcast.relationFuture.get.value) match {
        case Some(rows) => distinctKeys(rows, readers)
        case None => Left("the broadcast of a join is not Spark's own hash table")
      }
  }

  /** The expressions of the keys over the table's rows, which may pack them into a long. */
  private def readers: Seq[Expression] = {
    val stored = HashJoin.rewriteKeyExpr(keys)
    val isPacked = stored.size == 1 && stored.head.dataType == LongType
    keys.indices.map { i =>
      if (isPacked) HashJoin.extractKeyExprAt(keys, i)
      else BoundReference(i, keys(i).dataType, nullable = true)
    }
  }
}

private[late] object BroadcastTable {

  /** Two pages of Spark's memory manager; a table of one row may have a page of 64 MiB. */
  private final val MaxBytes = 128L << 20
}
