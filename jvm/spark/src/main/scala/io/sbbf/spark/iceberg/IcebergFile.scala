package io.sbbf.spark.iceberg

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * A file of an Iceberg table. The table does not know when it was written, and never replaces it.
 *
 * @param location the name of the file in the table's own store
 */
private[iceberg] final class IcebergFile private (val location: String, path: Path, length: Long)
    extends FileStatus(length, false, 0, 0L, IcebergFile.Unchanging, path)

private[iceberg] object IcebergFile {

  /** A modification time in place of the unknown one. Files without any are not cached. */
  private final val Unchanging = 1L

  /** Returns the file, whose path may be the one of another file as well. */
  def listed(location: String, length: Long): IcebergFile =
    new IcebergFile(location, new Path(location), length)

  /**
   * Returns the file, None if a path would not identify it: Hadoop's paths merge names that an
   * object store distinguishes, such as `a//b` and `a/b`.
   */
  def of(location: String, length: Long): Option[IcebergFile] = {
    val file = listed(location, length)
    // a local or a default store has no authority: file:///a, hdfs:///a
    val isSame = file.getPath.toString == location.replaceFirst("^([^:/]+):///", "$1:/")
    if (isSame) Some(file) else None
  }
}
