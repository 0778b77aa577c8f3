package io.sbbf.spark.attach

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.FileFailure
import io.sbbf.parquet.attach.ChunkPlan
import io.sbbf.parquet.write.ChunkFilter

/** @param chunks of one row group */
private[attach] final case class RowGroupTask(file: ListedFile, chunks: Seq[ChunkPlan]) {

  /** Bytes to read. */
  def bytes: Long = chunks.map(_.bytes).sum

  /** Their filters, each by itself as it may be large; one without any where there are none. */
  def filters(conf: Configuration): Seq[RowGroupTask.FilterResult] =
    try {
      val found = if (chunks.isEmpty) Nil else file.open(conf).filters(chunks)
      if (found.isEmpty) Seq(Right(None)) else found.map(filter => Right(Some(filter)))
    } catch { case FileFailure(e) => Seq(Left(AttachOutcome.reason(file.path, e))) }
}

private[attach] object RowGroupTask {

  /** A filter, or why there is none. */
  type FilterResult = Either[String, Option[ChunkFilter]]
}
