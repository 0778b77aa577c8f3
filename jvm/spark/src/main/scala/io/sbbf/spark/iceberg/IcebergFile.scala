package io.sbbf.spark.iceberg

import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.core.bloom.XxHash64

/**
 * A file of an Iceberg table, which records no time of a write and never replaces a file.
 *
 * @param location the name of the file in the table's own store
 */
private[iceberg] final class IcebergFile private (
    val location: String,
    path: Path,
    length: Long,
    version: Long)
    extends FileStatus(length, false, 0, 0L, version, path)

private[iceberg] object IcebergFile {

  /**
   * Returns a time of the past in place of the unknown modification time. It differs between tables
   * and between the commits that added a file, so that evidence of one file is not used for another
   * of the same location and length. Files without a modification time are not cached.
   */
  private def version(table: String, sequence: Any): Long =
    1 + (XxHash64.hashBytes(
      s"$table/$sequence".getBytes("UTF-8")) & 0xffffffffL) // until 1970-02-20

  /**
   * Returns the file. Its path may not be unique, see [[of]].
   *
   * @param table what identifies the table
   * @param sequence the number of the commit that added the file
   */
  def listed(location: String, length: Long, table: String, sequence: Any): IcebergFile =
    new IcebergFile(location, new Path(location), length, version(table, sequence))

  /**
   * Returns the file, None if a path would not identify it: Hadoop's paths merge names that an
   * object store distinguishes, such as `a//b` and `a/b`.
   */
  def of(location: String, length: Long, table: String, sequence: Any): Option[IcebergFile] = {
    val file = listed(location, length, table, sequence)
    // a local or a default store has no authority: file:///a, hdfs:///a
    val isSame = file.getPath.toString == location.replaceFirst("^([^:/]+):///", "$1:/")
    if (isSame) Some(file) else None
  }
}
