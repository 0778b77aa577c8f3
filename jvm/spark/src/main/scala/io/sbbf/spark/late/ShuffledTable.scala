package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, BoundReference, Expression}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, ProjectExec, SparkPlan}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.{CancelledJob, LogOnce}

/**
 * Reads the keys of rows that have been shuffled, by a job.
 *
 * @param stage the stage that has shuffled the rows
 */
private[late] final class ShuffledTable(
    stage: ShuffleQueryStageExec,
    keys: Seq[Expression],
    maxKeys: Int)
    extends KeyTable(maxKeys) {
  import ShuffledTable._

  override lazy val values: Either[String, Seq[Set[Any]]] =
    if (!stage.isMaterialized) Left("a join's smaller side was not shuffled yet")
    else if (statistics.rowCount.exists(_ > maxRows)) Left(tooManyRows)
    else if (statistics.sizeInBytes > MaxBytes)
      Left(f"a join's smaller side has more than $MaxBytes%,d bytes")
    else if (!SparkInternals.isDeterminate(stage))
      Left("a join's smaller side is not determinate")
    else
      try distinctKeys(rows, readers)
      catch {
        case RecoverableError(e) if CancelledJob.is(e, stage.session.sparkContext) =>
          throw new InterruptedException("the job that reads keys was cancelled").initCause(e)
        case RecoverableError(e) =>
          val text = "the keys of a join's smaller side could not be read"
          LogOnce.once(
            s"keys of a shuffle: ${e.getClass.getName}",
            s"$text, so they prune nothing",
            e)
          Left(text)
      }

  private def statistics = stage.getRuntimeStatistics

  private def rows: Iterator[InternalRow] =
    ProjectExec(keys.map(Alias(_, "key")()), inFewTasks).executeCollect().iterator

  private def readers: Seq[Expression] =
    keys.zipWithIndex.map { case (key, i) => BoundReference(i, key.dataType, nullable = true) }

  /** Reads the partitions of the shuffle in tasks of about [[TaskBytes]]. */
  private def inFewTasks: SparkPlan =
    stage.mapStats.fold[SparkPlan](stage) { shuffled =>
      val bytes = shuffled.bytesByPartitionId
      val perTask = math.max(1, (bytes.length / (1 + bytes.sum / TaskBytes)).toInt)
      val ranges = bytes.indices.by(perTask).map { from =>
        val to = math.min(from + perTask, bytes.length)
        CoalescedPartitionSpec(from, to, Some(bytes.slice(from, to).sum))
      }
      AQEShuffleReadExec(stage, ranges)
    }
}

private[late] object ShuffledTable {
  private final val TaskBytes = 16L << 20

  /** Of whole rows; the driver gets their keys. */
  private final val MaxBytes = 512L << 20
}
