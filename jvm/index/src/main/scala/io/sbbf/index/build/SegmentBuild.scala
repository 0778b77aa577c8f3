package io.sbbf.index.build

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.format._
import io.sbbf.parquet.hashes.IndexFacts
import io.sbbf.parquet.model.FileVersion

/**
 * A segment while it is built: the files that it will know, and the numbers of their row groups.
 *
 * @param columns the names of the columns to index
 * @param files the files with their facts, whose columns are in the order of `columns`
 */
private[sbbf] final class SegmentBuild(
    place: IndexPlace,
    columns: Seq[String],
    files: IndexedSeq[SegmentBuild.ReadFile],
    conf: Configuration) {
  import SegmentBuild._

  private val index = place.folder(conf)
  private val id = UUID.randomUUID.toString

  /** The folder of the segment. */
  val folder: Path = index.segment(id)

  private val starts: IndexedSeq[Long] = files.scanLeft(0L)(_ + _.facts.rowsOf.size)
  require(starts.last < MostRowGroups, s"an index has at most $MostRowGroups row groups")

  def rowGroups: Int = starts.last.toInt

  /** Returns the number of the first row group of a file. */
  def firstRowGroup(file: Int): Int = starts(file).toInt

  /** Returns the columns of a file whose keys have to be read, each with its leaf. */
  def toRead(file: Int): Seq[(Int, Int)] =
    files(file).facts.columns.zipWithIndex.collect {
      case (found, column) if found.leaf >= 0 && found.whyNot.isEmpty => column -> found.leaf
    }

  /** How the keys of each column are packed. */
  val packings: IndexedSeq[KeyPacking] = columns.indices.map { column =>
    val entries = files.map(_.facts.columns(column)).filter(_.whyNot.isEmpty).map(_.values).sum
    KeyPacking.of(math.max(1L, entries), math.max(1, rowGroups))
  }

  /**
   * Writes the table of files and then the manifest, which makes the segment complete.
   *
   * @param parts the files of keys of each column, in any order
   * @param failed the numbers of files whose keys could not be read; the segment does not know them
   * @throws java.io.IOException if the segment cannot be written; it stays incomplete
   */
  def commit(
      parts: Seq[Seq[StoredPart]],
      failed: Set[Int],
      replaces: Seq[String]): SegmentManifest = {
    val path = new Path(folder, FilesName)
    val entries = files.indices.iterator.filterNot(failed).map(entry)
    val stored = FileTable.write(entries, path, conf)
    val manifest = SegmentManifest(
      id,
      System.currentTimeMillis,
      rowGroups,
      stored,
      columns.indices.map { n =>
        IndexedColumn(columns(n), packings(n).hashBits, parts(n).sortBy(_.firstKey))
      },
      replaces
    )
    index.commit(manifest)
    manifest
  }

  private def entry(number: Int): FileEntry = {
    val file = files(number)
    val version = FileVersion.of(file.status)
    FileEntry(
      place.nameOf(version.path),
      version.length,
      version.modificationTime,
      version.etag,
      file.readAt,
      firstRowGroup(number),
      file.facts.rowsOf.size,
      file.facts.rowsOf.sum,
      file.facts.schema,
      file.facts.columns.map(c => ColumnCoverage(c.leaf, c.whyNot))
    )
  }
}

private[sbbf] object SegmentBuild {
  private final val FilesName = "files.parquet"
  private final val MostRowGroups = Int.MaxValue

  /**
   * A file whose footer was read.
   *
   * @param readAt when it was read, in milliseconds since 1970
   */
  final case class ReadFile(status: FileStatus, facts: IndexFacts, readAt: Long)
}
