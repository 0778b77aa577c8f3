package io.sbbf.parquet
package attach

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

/** Tables whose log knows the length of each of their files. */
private[sbbf] object TableLog {

  /**
   * The kind of the table that a path belongs to, if it is one with a log: the path is its folder, or lies in it.
   */
  def of(path: Path, conf: Configuration): Option[String] = {
    val store = path.getFileSystem(conf)
    Iterator
      .iterate(store.makeQualified(path))(_.getParent)
      .takeWhile(_ != null)
      .flatMap(kind(store, _))
      .toSeq
      .headOption
  }

  private def kind(store: FileSystem, folder: Path): Option[String] =
    if (store.exists(new Path(folder, "_delta_log"))) Some("Delta")
    else if (store.exists(new Path(folder, ".hoodie"))) Some("Hudi")
    else if (isIceberg(store, new Path(folder, "metadata"))) Some("Iceberg")
    else None

  private def isIceberg(store: FileSystem, metadata: Path): Boolean = {
    val files = store.globStatus(new Path(metadata, "*.metadata.json*"))
    files != null && files.nonEmpty
  }
}
