package io.sbbf.spark.index

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.hashes.IndexFacts

/**
 * A file whose footer was read.
 *
 * @param readAt when it was read, in milliseconds since 1970
 */
private[index] final case class ReadFile(status: FileStatus, facts: IndexFacts, readAt: Long)
