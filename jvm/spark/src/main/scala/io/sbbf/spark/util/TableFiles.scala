package io.sbbf.spark.util

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.SparkContext

import io.sbbf.parquet.append.TableFormatDetector

/**
 * Lists the files that Spark reads for a path, without a session. These are the files directly in
 * a folder or, if subfolders are named `column=value`, the files of the partitions. Skips hidden
 * and empty files. Throws IllegalArgumentException if nothing is at the path.
 *
 * Follows InMemoryFileIndex and PartitioningUtils of Spark 3.5 to 4.3.
 *
 * @param path a file, a folder or a Hadoop glob pattern
 */
private[spark] final class TableFiles(path: String, conf: Configuration) {
  import TableFiles._

  private val store: FileSystem = new Path(path).getFileSystem(conf)
  private val logs = ArrayBuffer.empty[(Path, String)]

  private val found: Seq[Found] = roots(path, conf).flatMap { root =>
    if (root.isDirectory) below(root.getPath, isPartition = false)
    else Seq(Found(root, depth = 0, isPartition = false))
  }

  /** The files, ordered by path. */
  val data: Seq[FileStatus] = {
    val files = found.filter(f => isData(f.status.getPath.getName))
    // as in Spark, an empty file makes its folder a partition too
    val partitions = files.filter(_.isPartition)
    val table = if (partitions.nonEmpty) partitions else files.filter(_.depth == 0)
    table.map(_.status).filter(_.getLen > 0).sortBy(_.getPath.toString)
  }

  /**
   * Returns the folder and the format of a table whose log records the length of each file, if it
   * contains one of the files.
   */
  def tableWithLog: Option[(Path, String)] = {
    lazy val folders = data.iterator.map(_.getPath.getParent).toSet.flatMap(ancestors)
    logs.find { case (folder, _) => folders(folder) }
  }

  private def ancestors(folder: Path): Iterator[Path] =
    Iterator.iterate(folder)(_.getParent).takeWhile(_ != null)

  /** Returns the file whose schema Spark uses for the table; None if there are no files. */
  def ofSchema: Option[FileStatus] = {
    val summaries = found.map(_.status).filter(isSummary).sortBy(_.getPath.toString)
    val (common, full) = summaries.partition(_.getPath.getName.startsWith(CommonMetadata))
    (common ++ full ++ data).headOption
  }

  private def below(folder: Path, isPartition: Boolean, depth: Int = 0): Seq[Found] = {
    val children = store.listStatus(folder).toSeq
    logs ++= TableFormatDetector.seenIn(folder, children.map(_.getPath.getName))
    children.filterNot(s => isHidden(s.getPath.getName)).flatMap { status =>
      if (status.isDirectory)
        below(status.getPath, isPartition || status.getPath.getName.contains("="), depth + 1)
      else Seq(Found(status, depth, isPartition))
    }
  }
}

private[spark] object TableFiles {

  /**
   * Returns the files and folders that a path or pattern matches.
   *
   * @throws IllegalArgumentException if it matches nothing
   */
  def roots(path: String, conf: Configuration): Seq[FileStatus] = {
    val pattern = new Path(path)
    val store = pattern.getFileSystem(conf)
    val matches =
      if (path.exists(isGlob)) store.globStatus(pattern)
      else if (store.exists(pattern)) Array(store.getFileStatus(pattern))
      else null
    if (matches == null || matches.isEmpty)
      throw new IllegalArgumentException(
        s"no file or folder $path" +
          (if (pattern.isAbsolute) ""
           else s" in the current folder ${store.getWorkingDirectory}: write its whole path"))
    matches.toSeq
  }

  /** Returns the error about columns that no file under a path has. */
  def withoutColumns(path: String, columns: Seq[String]): IllegalArgumentException =
    new IllegalArgumentException(
      s"no file of $path has ${columns.map(c => s"'$c'").mkString(", ")}; name nested columns by their Parquet " +
        "path, as in 'tags.list.element'")

  /** Returns the number of tasks for so many files: up to four for each core, to balance them. */
  def slices(files: Int, context: SparkContext): Int =
    math.max(1, math.min(files, context.defaultParallelism * 4))

  private final case class Found(status: FileStatus, depth: Int, isPartition: Boolean)

  /** Whether a path with this character is a pattern (`SparkHadoopUtil.isGlobPath`). */
  def isGlob(character: Char): Boolean = "{}[]*?\\".indexOf(character.toInt) >= 0

  private val CommonMetadata = "_common_metadata"
  private val Summaries = Seq(CommonMetadata, "_metadata")

  /** HadoopFSUtils.shouldFilterOutPathName */
  private def isHidden(name: String): Boolean =
    name.startsWith(".") || name.endsWith("._COPYING_") ||
      (name.startsWith("_") && !name.contains("=") && !Summaries.exists(name.startsWith))

  /** PartitioningAwareFileIndex.isDataPath */
  private def isData(name: String): Boolean =
    !name.startsWith(".") && (!name.startsWith("_") || name.contains("="))

  private def isSummary(file: FileStatus): Boolean =
    Summaries.exists(file.getPath.getName.startsWith)
}
