package io.sbbf.parquet.append

import java.io.IOException
import java.nio.file.AccessDeniedException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.security.AccessControlException

/** Detects tables whose log records the length of each of their files. */
private[sbbf] object TableFormatDetector {

  /**
   * Returns the folder and the format of a table with a log, if one of `roots` is such a table or
   * is within one. It checks paths both as given and with links resolved. It looks into each
   * folder once.
   *
   * @param roots the files and folders to check
   * @param below files below `roots`, whose links are resolved
   */
  def of(
      roots: Seq[FileStatus],
      conf: Configuration,
      below: Seq[FileStatus] = Nil): Option[(Path, String)] = {
    def folder(status: FileStatus, path: Path) = if (status.isFile) path.getParent else path
    def named(status: FileStatus) = folder(status, status.getPath)
    def real(status: FileStatus) =
      try folder(status, AtomicReplace.resolveLink(status.getPath, conf))
      catch { case _: IOException => named(status) } // it was deleted meanwhile
    val linked = (roots ++ below).map(real).diff(below.map(named))
    val folders = (roots.map(named) ++ linked).distinct
    val above = folders.flatMap(ancestors).distinct.diff(folders)
    def kindOf(folder: Path, look: (FileSystem, Path) => Option[String]) =
      look(folder.getFileSystem(conf), folder).map(folder -> _)
    def first(found: Iterator[(Path, String)]) = if (found.hasNext) Some(found.next()) else None
    first(folders.iterator.flatMap(kindOf(_, kind)))
      .orElse(first(above.iterator.flatMap(kindOf(_, kindIfSeen))))
  }

  private def ancestors(folder: Path): Iterator[Path] =
    Iterator.iterate(folder.getParent)(_.getParent).takeWhile(_ != null)

  /** Returns None for a folder that this user may not list, as it cannot be the user's table. */
  private def kindIfSeen(store: FileSystem, folder: Path): Option[String] =
    try kind(store, folder)
    catch { case _: AccessDeniedException | _: AccessControlException => None }

  private def kind(store: FileSystem, folder: Path): Option[String] =
    Logs
      .collectFirst { case (log, kind) if store.exists(new Path(folder, log)) => kind }
      .orElse(if (isIceberg(store, new Path(folder, IcebergLog))) Some(Iceberg) else None)

  private def isIceberg(store: FileSystem, metadata: Path): Boolean = {
    val files = store.globStatus(new Path(metadata, s"*$IcebergVersion*"))
    files != null && files.nonEmpty
  }

  /**
   * Returns the folder and the format of a table, if a folder with children of these names is the
   * table or holds its log.
   */
  def seenIn(folder: Path, children: Seq[String]): Option[(Path, String)] =
    if (folder.getName == IcebergLog && children.exists(_.contains(IcebergVersion)))
      Some(folder.getParent -> Iceberg)
    else Logs.collectFirst { case (log, kind) if children.contains(log) => folder -> kind }

  private val Logs =
    Seq("_delta_log" -> "Delta", ".hoodie" -> "Hudi", "_spark_metadata" -> "Structured Streaming")

  private val Iceberg = "Iceberg"
  private val IcebergLog = "metadata"
  private val IcebergVersion = ".metadata.json"
}
