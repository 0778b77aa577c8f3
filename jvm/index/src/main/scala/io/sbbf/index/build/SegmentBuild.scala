package io.sbbf.index.build

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.core.predicate.{KeyFunction, KeyedColumn}
import io.sbbf.index.format._
import io.sbbf.parquet.hashes.KeySource
import io.sbbf.parquet.model.FileVersion

/**
 * A segment while it is built: the files that it will know, and the numbers of their row groups.
 *
 * @param columns the canonical names of the columns to index; see [[KeyedColumn]]
 * @param files the files, whose columns are in the order of `columns`
 * @param sizes the size of each column; none if its zones are filtered
 * @param readAs how the files are read; see [[SegmentManifest]]
 */
private[sbbf] final class SegmentBuild(
    place: IndexPlace,
    columns: Seq[String],
    files: IndexedSeq[SegmentFile],
    sizes: Seq[ColumnSize],
    conf: Configuration,
    readAs: Option[String] = None) {
  import SegmentBuild._

  private val index = place.folder(conf)
  private val id = UUID.randomUUID.toString

  /** The folder of the segment. */
  val folder: Path = index.segment(id)

  /** Returns the folder of another segment of the index. */
  def folderOf(segment: String): Path = index.segment(segment)

  private val starts: IndexedSeq[Long] = files.scanLeft(0L)(_ + _.rowGroups)
  require(starts.last < MostRowGroups, s"an index has at most $MostRowGroups row groups")

  def rowGroups: Int = starts.last.toInt

  /** Returns the number of the first row group of a file. */
  def firstRowGroup(file: Int): Int = starts(file).toInt

  private val functions: Seq[Option[KeyFunction]] =
    columns.map(KeyedColumn.parse(_).toOption.flatMap(_.function))

  /** Returns the columns of a file whose keys have to be read, each with where they come from. */
  def toRead(file: Int): Seq[(Int, KeySource)] =
    files(file).columns.zipWithIndex.collect {
      case (found, column) if found.leaf >= 0 && found.whyNot.isEmpty =>
        column -> KeySource(found.leaf, functions(column))
    }

  /** How the keys of each column are packed. */
  val packings: Seq[KeyPacking] = sizes.map { size =>
    KeyPacking.of(size.entries, math.max(1, rowGroups), size.elsewhere, size.mostBits)
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
      replaces: Seq[String]): SegmentManifest =
    committed(
      columns.indices.map { n =>
        IndexedColumn(columns(n), packings(n).hashBits, parts(n).sortBy(_.firstKey))
      },
      failed,
      replaces)

  /** Completes a segment like [[commit]], with the filters of the zones of each column. */
  def commitZones(
      zones: Seq[StoredZones],
      failed: Set[Int],
      replaces: Seq[String]): SegmentManifest =
    committed(
      columns.zip(zones).map { case (name, of) => IndexedColumn.ofZones(name, of) },
      failed,
      replaces)

  private def committed(
      indexed: Seq[IndexedColumn],
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
      indexed,
      replaces,
      readAs
    )
    index.commit(manifest)
    manifest
  }

  /** Deletes what was written, after a failure. A sweep deletes what this cannot. */
  def discard(): Unit =
    try index.delete(id)
    catch { case _: IOException => }

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
      file.rowGroups,
      file.rows,
      file.schema,
      file.columns
    )
  }
}

private[sbbf] object SegmentBuild {
  private final val FilesName = "_files.parquet"
  private final val MostRowGroups = Int.MaxValue
}

/**
 * How large an indexed column of a segment can be.
 *
 * @param entries an upper limit of its pairs of a key and a row group
 * @param elsewhere the entries that the index has already. A merge counts those of merged segments
 *   twice, which costs a bit at most.
 * @param mostBits the most leading bits of a hash that are known
 */
private[sbbf] final case class ColumnSize(entries: Long, elsewhere: Long = 0L, mostBits: Int = 63)
