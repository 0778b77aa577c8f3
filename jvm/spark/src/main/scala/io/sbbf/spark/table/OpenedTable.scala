package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.hashes.FileKeys
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.sample.SampledTable

/**
 * A table in a task.
 *
 * @param store opens its files
 * @param columns names the columns of its files; None if the files do
 * @param opener opens its files for their keys
 */
private[spark] final case class OpenedTable(
    conf: Configuration,
    store: FileStore,
    columns: Option[SampledTable],
    opener: KeyOpener) {

  /** Opens a file for its keys; see [[KeyOpener]]. */
  def keysOf(file: FileStatus, checksVersion: Boolean): FileKeys =
    opener.open(file, this, checksVersion)
}
