package io.sbbf.spark.append

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.append.ChunkPlan
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.write.ChunkFilter

/**
 * A task that builds the filters of one row group.
 *
 * @param chunks the chunks of that row group
 */
private[spark] final case class RowGroupTask(file: ListedFile, chunks: Seq[ChunkPlan]) {

  /** The bytes to read. */
  def bytes: Long = chunks.map(_.bytes).sum

  /**
   * Returns the filters, each by itself because it may be large. Without filters it returns one
   * empty result.
   */
  def filters(conf: Configuration): Seq[RowGroupTask.FilterResult] =
    try {
      val found = if (chunks.isEmpty) Nil else file.open(conf).filters(chunks)
      if (found.isEmpty) Seq(Right(None)) else found.map(filter => Right(Some(filter)))
    } catch {
      case RecoverableError.OfFile(e) => Seq(Left(AddFiltersOutcome.reason(file.path, e)))
    }
}

private[spark] object RowGroupTask {

  /** A filter, no filter, or the reason why none could be built. */
  type FilterResult = Either[String, Option[ChunkFilter]]
}
