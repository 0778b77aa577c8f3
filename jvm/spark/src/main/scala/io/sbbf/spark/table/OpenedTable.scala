package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.hashes.{FileHashes, FileKeys}
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

/** Opens the files of a table for their keys, in tasks. */
private[spark] trait KeyOpener extends Serializable {

  /**
   * Opens a file, which the caller closes.
   *
   * @param checksVersion whether it must still be the listed version
   */
  def open(file: FileStatus, table: OpenedTable, checksVersion: Boolean): FileKeys
}

private[spark] object KeyOpener {

  /** Opens Parquet files. */
  val Parquet: KeyOpener = (file, table, checksVersion) =>
    new FileHashes(file, table.conf, table.store, table.columns, checksVersion)
}
