package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.sample.SampledTable

/**
 * A table in a task.
 *
 * @param store opens its files
 * @param columns names the columns of its files; None if the files do
 */
private[spark] final case class OpenedTable(
    conf: Configuration,
    store: FileStore,
    columns: Option[SampledTable])
