package io.sbbf.spark.table

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.hashes.{FileHashes, FileKeys}
import io.sbbf.spark.source.{SourceKeys, SourceReaders}

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

  /** Opens files of Spark's other sources. */
  def of(readers: SourceReaders): KeyOpener = (file, table, checksVersion) =>
    new SourceKeys(file, table.conf, readers, checksVersion)
}
