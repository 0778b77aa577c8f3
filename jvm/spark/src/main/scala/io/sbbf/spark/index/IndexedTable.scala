package io.sbbf.spark.index

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession

import io.sbbf.index.format.IndexPlace
import io.sbbf.index.maintain.IndexContents
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.table.{
  LakeFormat,
  LakeTable,
  NamedFiles,
  ParquetPath,
  SourceFiles,
  TableLocation
}
import io.sbbf.spark.util.TableFiles

/** A table by its name or its folder, and its index, as they were when they were first read. */
private[spark] final class IndexedTable(val name: String, session: SparkSession) {
  val hadoopConf: Configuration = session.sessionState.newHadoopConf()

  val target: NamedFiles =
    SourceFiles.named(name, session).getOrElse(TableLocation.of(name, session)) match {
      case path: ParquetPath =>
        SourceFiles.ofPath(path.name, path.files, session).getOrElse(path)
      case named => named
    }
  val place: IndexPlace = TableIndex.placeOf(folder, hadoopConf, session.sessionState.conf)

  lazy val files: Seq[FileStatus] = target match {
    case lake: LakeTable => lake.indexable
    case others => others.files
  }

  /** What the index holds. */
  lazy val contents: IndexContents = IndexContents.read(place, hadoopConf, target.readAs)

  /** @throws IllegalArgumentException if there is no single folder of a table */
  private def folder: Path = target match {
    case lake: LakeTable => lake.location
    case source: SourceFiles => folderOf(source.relation.location.rootPaths)
    case path: ParquetPath =>
      for ((place, kind) <- path.tableWithLog; format <- LakeFormat.named(kind))
        throw new IllegalArgumentException(
          s"$name belongs to ${format.aTable}, $place: name the table instead of the folder")
      folderOf(TableFiles.roots(path.name, hadoopConf).map(_.getPath))
  }

  private def isFolder(path: Path): Boolean =
    try path.getFileSystem(hadoopConf).getFileStatus(path).isDirectory
    catch { case _: FileNotFoundException => false }

  private def folderOf(roots: Seq[Path]): Path = roots match {
    case Seq(root) if IndexPlace.tableOf(root) != root =>
      throw new IllegalArgumentException(
        s"$name is a partition: name its table, ${IndexPlace.tableOf(root)}")
    case Seq(root) if isFolder(root) => root
    case _ =>
      throw new IllegalArgumentException(
        s"$name is no folder: an index is of a table or of the folder of one")
  }
}
