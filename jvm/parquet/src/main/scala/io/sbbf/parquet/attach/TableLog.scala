package io.sbbf.parquet
package attach

import java.nio.file.AccessDeniedException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.security.AccessControlException

/** Tables whose log knows the length of each of their files. */
private[sbbf] object TableLog {

  /**
   * The kind of the table that a path belongs to, if it is one with a log: the path is its folder, or lies in it.
   */
  def of(path: Path, conf: Configuration): Option[String] = {
    val store = path.getFileSystem(conf)
    val root = store.makeQualified(path)
    val above = Iterator.iterate(root.getParent)(_.getParent).takeWhile(_ != null)
    kind(store, root).orElse(above.flatMap(kindIfSeen(store, _)).toSeq.headOption)
  }

  /** Of a folder that this user may not look into nobody knows: it is not the user's table. */
  private def kindIfSeen(store: FileSystem, folder: Path): Option[String] =
    try kind(store, folder)
    catch { case _: AccessDeniedException | _: AccessControlException => None }

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
