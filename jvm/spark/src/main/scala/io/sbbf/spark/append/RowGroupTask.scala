package io.sbbf.spark.append

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.append.ChunkPlan
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.write.ChunkFilter

/** @param chunks of one row group */
private[spark] final case class RowGroupTask(file: ListedFile, chunks: Seq[ChunkPlan]) {

  /** Bytes to read. */
  def bytes: Long = chunks.map(_.bytes).sum

  /** Their filters, each by itself as it may be large; one without any where there are none. */
  def filters(conf: Configuration): Seq[RowGroupTask.FilterResult] =
    try {
      val found = if (chunks.isEmpty) Nil else file.open(conf).filters(chunks)
      if (found.isEmpty) Seq(Right(None)) else found.map(filter => Right(Some(filter)))
    } catch {
      case RecoverableError.OfFile(e) => Seq(Left(AddFiltersOutcome.reason(file.path, e)))
    }
}

private[spark] object RowGroupTask {

  /** A filter, or why there is none. */
  type FilterResult = Either[String, Option[ChunkFilter]]
}
