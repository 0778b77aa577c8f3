package io.sbbf.spark.index

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession

import io.sbbf.index.format.IndexPlace
import io.sbbf.index.maintain.IndexContents
import io.sbbf.spark.search.TableIndex
import io.sbbf.spark.table.{LakeFormat, LakeTable, NamedFiles, ParquetPath, TableLocation}
import io.sbbf.spark.util.TableFiles

/** A table by its name or its folder, and its index, as they were when they were first read. */
private[spark] final class IndexedTable(val name: String, session: SparkSession) {
  val hadoopConf: Configuration = session.sessionState.newHadoopConf()
  val target: NamedFiles = TableLocation.of(name, session)
  val place: IndexPlace = TableIndex.placeOf(folder, hadoopConf, session.sessionState.conf)

  /** @throws IllegalArgumentException if they are ORC files */
  lazy val files: Seq[FileStatus] = target match {
    case lake: LakeTable => lake.indexable
    case path: ParquetPath =>
      val found = path.files
      path.refuseOrc(found)
      found
  }

  /** What the index holds. */
  lazy val contents: IndexContents = IndexContents.read(place, hadoopConf)

  /** @throws IllegalArgumentException if there is no single folder of a table */
  private def folder: Path = target match {
    case lake: LakeTable => lake.location
    case path: ParquetPath =>
      for ((place, kind) <- path.tableWithLog; format <- LakeFormat.named(kind))
        throw new IllegalArgumentException(
          s"$name belongs to ${format.aTable}, $place: name the table instead of the folder")
      TableFiles.roots(path.name, hadoopConf) match {
        case Seq(root) if IndexPlace.tableOf(root.getPath) != root.getPath =>
          throw new IllegalArgumentException(
            s"$name is a partition: name its table, ${IndexPlace.tableOf(root.getPath)}")
        case Seq(root) if root.isDirectory => root.getPath
        case _ =>
          throw new IllegalArgumentException(
            s"$name is no folder: an index is of a table or of the folder of one")
      }
  }
}
