package io.sbbf.spark.late

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{BroadcastQueryStageExec, ShuffleQueryStageExec}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The keys of the rows of a stage, which are read at most once.
 *
 * @param maxKeys the most distinct values of one key
 */
private[late] abstract class KeyTable(maxKeys: Int) {
  import KeyTable._

  /** The distinct values of each key, without NULL, or the reason why they were not read. */
  def values: Either[String, Seq[Set[Any]]]

  /** The most rows that are read: a side may have a key once for each of its rows. */
  protected final val maxRows: Long = maxKeys * RowsPerKey

  protected final def tooManyRows = f"a join's smaller side has more than $maxRows%,d rows"

  /**
   * Returns the distinct values of each key, or the reason why they are too many.
   *
   * @param rows rows of the side, each of which may be reused for the next
   * @param readers the expressions of the keys over these rows
   */
  protected final def distinctKeys(
      rows: Iterator[InternalRow],
      readers: Seq[Expression]): Either[String, Seq[Set[Any]]] = {
    val distinct = readers.map(_ => mutable.HashSet.empty[Any])
    var read = 0L
    while (rows.hasNext && read < maxRows && distinct.forall(_.size <= maxKeys)) {
      val row = rows.next()
      read += 1
      readers.zip(distinct).foreach { case (reader, known) =>
        reader.eval(row) match {
          case null =>
          case text: UTF8String => known += text.clone()
          case value => known += value
        }
      }
    }
    if (distinct.exists(_.size > maxKeys)) Left(f"a join has more than $maxKeys%,d keys")
    else if (rows.hasNext) Left(tooManyRows)
    else Right(distinct.map(_.toSet))
  }
}

private[late] object KeyTable {
  private final val RowsPerKey = 4L

  /** Returns the keys of the rows of a stage, or of an exchange that will be one. */
  def of(source: SparkPlan, keys: Seq[Expression], maxKeys: Int): KeyTable = source match {
    case stage: BroadcastQueryStageExec => new BroadcastTable(stage, keys, maxKeys)
    case stage: ShuffleQueryStageExec => new ShuffledTable(stage, keys, maxKeys)
    case _ =>
      new KeyTable(maxKeys) {
        override def values: Either[String, Seq[Set[Any]]] =
          Left("a join's smaller side was not read yet")
      }
  }
}
