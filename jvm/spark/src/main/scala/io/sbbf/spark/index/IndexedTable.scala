package io.sbbf.spark.index

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession

import io.sbbf.index.format.IndexPlace
import io.sbbf.index.maintain.IndexContents
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.location.TableLocation
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.table.NamedFiles

/** A table by its name or its folder, and its index, as they were when they were first read. */
private[spark] final class IndexedTable(val name: String, session: SparkSession) {
  val hadoopConf: Configuration = session.sessionState.newHadoopConf()

  val target: NamedFiles = TableLocation.ofIndex(name, session)
  val place: IndexPlace = TableIndex.placeOf(folder, hadoopConf, session.sessionState.conf)

  lazy val files: Seq[FileStatus] = target.indexable

  /** What the index holds. */
  lazy val contents: IndexContents = IndexContents.read(place, hadoopConf, target.readAs)

  /** @throws IllegalArgumentException if there is no single folder of a table */
  private def folder: Path = {
    for ((place, kind) <- target.tableWithLog; format <- Formats.lake(kind))
      throw new IllegalArgumentException(
        s"$name belongs to ${format.aTable}, $place: name the table instead of the folder")
    target.roots match {
      case Seq(root) if target.lakeFormat.isDefined => root
      case Seq(root) if IndexPlace.tableOf(root) != root =>
        throw new IllegalArgumentException(
          s"$name is a partition: name its table, ${IndexPlace.tableOf(root)}")
      case Seq(root) if isFolder(root) => root
      case _ =>
        throw new IllegalArgumentException(
          s"$name is no folder: an index is of a table or of the folder of one")
    }
  }

  private def isFolder(path: Path): Boolean =
    try path.getFileSystem(hadoopConf).getFileStatus(path).isDirectory
    catch { case _: FileNotFoundException => false }
}
