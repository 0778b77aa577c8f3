package io.sbbf.spark.late

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.joins.HashJoin
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.LongType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads the keys of a broadcast hash table, at most once.
 *
 * @param stage the stage that has broadcast the table
 * @param keys the keys of the table's rows
 * @param maxKeys the most distinct values of one key
 */
private[late] final class JoinTable(
    stage: BroadcastQueryStageExec,
    keys: Seq[Expression],
    maxKeys: Int) {
  import JoinTable._

  private val maxRows = maxKeys * RowsPerKey

  /**
   * The distinct values of each key, without NULL, or the reason why they were not read. On a
   * cluster the driver has only the serialized table, so a large one is left alone.
   */
  lazy val values: Either[String, Seq[Set[Any]]] = {
    val statistics = stage.getRuntimeStatistics
    if (!stage.isMaterialized) Left("a join's smaller side was not broadcast yet")
    else if (statistics.rowCount.exists(_ > maxRows)) Left(tooManyRows)
    else if (statistics.sizeInBytes > MaxBytes)
      Left(f"a join's smaller side has more than $MaxBytes%,d bytes")
    else
      SparkInternals.hashTableKeys(stage.broadcast.relationFuture.get.value) match {
        case Some(rows) => distinct(rows)
        case None => Left("the broadcast of a join is not Spark's own hash table")
      }
  }

  private def tooManyRows = f"a join's smaller side has more than $maxRows%,d rows"

  private def distinct(rows: Iterator[InternalRow]): Either[String, Seq[Set[Any]]] = {
    val found = keys.map(_ => mutable.HashSet.empty[Any])
    var read = 0L
    while (rows.hasNext && read < maxRows && found.forall(_.size <= maxKeys)) {
      val row = rows.next()
      read += 1
      readers.zip(found).foreach { case (reader, known) =>
        reader.eval(row) match {
          case null =>
          case text: UTF8String => known += text.clone() // the row is reused
          case value => known += value
        }
      }
    }
    if (found.exists(_.size > maxKeys)) Left(f"a join has more than $maxKeys%,d keys")
    else if (rows.hasNext) Left(tooManyRows)
    else Right(found.map(_.toSet))
  }

  /** The expressions of the keys over the table's rows, which may pack them into a long. */
  private lazy val readers: Seq[Expression] = {
    val stored = HashJoin.rewriteKeyExpr(keys)
    val isPacked = stored.size == 1 && stored.head.dataType == LongType
    keys.indices.map { i =>
      if (isPacked) HashJoin.extractKeyExprAt(keys, i)
      else BoundReference(i, keys(i).dataType, nullable = true)
    }
  }
}

private[late] object JoinTable {

  /** A hash table may return a key once for each of its rows. */
  private final val RowsPerKey = 4L

  /** Two pages of Spark's memory manager; a table of one row may have a page of 64 MiB. */
  private final val MaxBytes = 128L << 20
}
