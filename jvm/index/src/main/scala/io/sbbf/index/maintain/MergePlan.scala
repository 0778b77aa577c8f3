package io.sbbf.index.maintain

import java.util.Arrays

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.build.{KeyPacking, SegmentFile}
import io.sbbf.index.format.{FileEntry, FileTable, IndexFolder, SegmentManifest}
import io.sbbf.index.search.Segment

/**
 * Plans the merge of segments. A file is read again if its keys are too short for the size of the
 * merged segment, or if its segments have different schemas of it.
 *
 * @param segments the segments that lookups search, newest first
 * @param files the files of the table
 * @param columns the columns of the merged segment
 */
private[maintain] final class MergePlan(
    segments: Seq[Segment],
    files: Seq[FileStatus],
    columns: Seq[String],
    folder: IndexFolder,
    conf: Configuration) {

  /** A segment with most of the keys stays as it is, so that a merge costs no more than it gains. */
  private val kept: Option[Segment] = segments
    .find(2 * entriesOf(_) > segments.map(entriesOf).sum)
    .filter(most => columns.forall(most.numberOf(_).isDefined))
    .filter(IndexContents.isAlive(_, files))
    .filter(most => files.exists(!knows(most, _)))

  private val merged: Seq[Segment] = segments.filterNot(kept.contains)

  /** The segments that can give the keys of each column, with its number in them. */
  private val sources: Seq[Seq[(Segment, Int)]] = columns.map { name =>
    val having = segments.flatMap(s => s.numberOf(name).map(s -> _))
    val entries = having.map { case (s, n) => s.manifest.columns(n).parts.map(_.entries).sum }.sum
    having.filter { case (s, n) =>
      s.manifest.columns(n).hashBits >= KeyPacking.fewestBits(entries)
    }
  }

  /** @throws java.io.IOException if the table of files of a segment cannot be read */
  def result(replaces: Seq[String]): RefreshPlan = {
    val todo = files.filterNot(file => kept.exists(knows(_, file)))
    val (merge, read) = todo.map(file => file -> sourcesOf(file)).partition(_._2.isDefined)
    RefreshPlan(
      read.map(_._1),
      merge.map { case (file, from) => mergedFile(file, from.get) }.toIndexedSeq,
      replaces ++ merged.map(_.manifest.id))
  }

  private def entriesOf(segment: Segment): Long =
    segment.manifest.columns.flatMap(_.parts).map(_.entries).sum

  private def knows(segment: Segment, file: FileStatus): Boolean =
    columns.forall(segment.numberOf(_).isDefined) && segment.files.numberOf(file) >= 0

  /** The files that are listed more than once, of which a segment knows one copy. */
  private val repeated: Set[Path] =
    files.groupBy(_.getPath).collect { case (path, copies) if copies.size > 1 => path }.toSet

  private def sourcesOf(file: FileStatus): Option[Seq[(Segment, Int)]] = {
    val found = sources.map(_.find { case (segment, _) => segment.files.numberOf(file) >= 0 })
    if (found.forall(_.isDefined) && !repeated(file.getPath))
      Some(found.flatten).filter(from => haveOneSchema(file, from.map(_._1).distinct))
    else None
  }

  /**
   * Leaves are numbers within a schema. Segments of files that are no Parquet files have schemas of
   * their own columns.
   */
  private def haveOneSchema(file: FileStatus, of: Seq[Segment]): Boolean = {
    val schemas = of.map(entryOf(_, file).schema)
    schemas.forall(Arrays.equals(_, schemas.head))
  }

  private def entryOf(segment: Segment, file: FileStatus): FileEntry =
    filesOf(segment)(segment.files.numberOf(file))

  private def mergedFile(file: FileStatus, from: Seq[(Segment, Int)]): MergedFile = {
    val known = from.map { case (segment, column) =>
      val entry = entryOf(segment, file)
      (
        entry,
        entry.columns(column),
        MergedFile.Source(segment.manifest, column, entry.firstRowGroup))
    }
    val entry = known.head._1
    MergedFile(
      SegmentFile(
        file,
        known.map(_._1.readAt).min,
        entry.rowGroups,
        entry.rows,
        entry.schema,
        known.map(_._2)),
      known.map(_._3))
  }

  private val tables = mutable.HashMap.empty[String, IndexedSeq[FileEntry]]

  private def filesOf(segment: Segment): IndexedSeq[FileEntry] = {
    val id = segment.manifest.id
    tables.getOrElseUpdate(
      id, {
        val entries = Vector.newBuilder[FileEntry]
        var latest = Array.empty[Byte]
        FileTable.read(segment.manifest.files, folder.segment(id), conf) { entry =>
          if (!Arrays.equals(entry.schema, latest)) latest = entry.schema
          entries += entry.copy(schema = latest) // files of one schema share its bytes
        }
        entries.result()
      }
    )
  }
}

/**
 * The files that a new segment will know.
 *
 * @param toRead the files whose keys are read from the files
 * @param toMerge the files whose keys other segments hold
 * @param replaces the ids of the segments that the new one makes superfluous
 */
private[sbbf] final case class RefreshPlan(
    toRead: Seq[FileStatus],
    toMerge: IndexedSeq[MergedFile],
    replaces: Seq[String])

/**
 * A file whose keys a new segment takes from others.
 *
 * @param from where the keys of each column are
 */
private[sbbf] final case class MergedFile(file: SegmentFile, from: Seq[MergedFile.Source])

private[sbbf] object MergedFile {

  /**
   * A column of a segment.
   *
   * @param column its number in the segment
   * @param firstRowGroup the number of the file's first row group in the segment
   */
  final case class Source(segment: SegmentManifest, column: Int, firstRowGroup: Int)
}
