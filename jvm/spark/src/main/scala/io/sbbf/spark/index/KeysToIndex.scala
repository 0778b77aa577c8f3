package io.sbbf.spark.index

import io.sbbf.index.build.{ColumnSize, SegmentBuild, SegmentFile}
import io.sbbf.index.format.IndexedColumn
import io.sbbf.index.maintain.{IndexContents, KeysOfPart, MergedFile, Renumbering}
import io.sbbf.spark.table.TaskFiles

/**
 * The keys that a new segment will hold: of files that are read, and of files that other segments
 * know.
 */
private[index] final class KeysToIndex(
    columns: Seq[String],
    val read: IndexedSeq[ReadFile],
    merged: IndexedSeq[MergedFile],
    contents: IndexContents) {
  import KeysToIndex.MostTasks

  /** The files of the segment. Those that are read come first. */
  val files: IndexedSeq[SegmentFile] =
    read.map(f => SegmentFile.of(f.status, f.facts, f.readAt)) ++ merged.map(_.file)

  def numMerged: Int = merged.size
  def isMerged(file: Int): Boolean = file >= read.size

  /** The merged files of each column, by the segment that has their keys. */
  private val sources: Seq[Seq[Seq[Int]]] = columns.indices.map { column =>
    merged.indices.groupBy(merged(_).from(column).segment.id).values.toVector
  }

  /** Returns the column of another segment that has the keys of some files. */
  private def storedColumn(files: Seq[Int], column: Int): IndexedColumn = {
    val from = merged(files.head).from(column)
    from.segment.columns(from.column)
  }

  /** The entries of each column that are in other segments. */
  private val mergedEntries: Seq[Long] = columns.indices.map { column =>
    sources(column).flatMap(storedColumn(_, column).parts).map(_.entries).sum
  }

  /** The entries of each column that are read from files, at most. */
  private val readEntries: Seq[Long] = columns.indices.map { column =>
    read.map(_.facts.columns(column)).filter(_.whyNot.isEmpty).map(_.values).sum
  }

  /** The entries of each column, about. */
  def expected: Seq[Long] =
    mergedEntries.zip(readEntries).map { case (merged, read) => merged + read }

  val sizes: Seq[ColumnSize] = columns.indices.map { column =>
    val known = sources(column).map(storedColumn(_, column))
    ColumnSize(
      // a key in many row groups is one entry in a segment, and may be many in the next one
      math.max(mergedEntries(column), merged.map(_.file.rows).sum) + readEntries(column),
      elsewhere = contents.entriesOf(columns(column)),
      mostBits = known.map(_.hashBits).foldLeft(63)(_ min _)
    )
  }

  /** Returns what supplies the keys to tasks. */
  def suppliers(build: SegmentBuild, taskFiles: TaskFiles): Seq[KeySupplier] =
    read.indices.map { n =>
      new FileToIndex(
        n,
        taskFiles.serializable(read(n).status),
        build.firstRowGroup(n),
        files(n).rowGroups,
        build.toRead(n))
    } ++ columns.indices.flatMap(partsToMerge(_, build))

  private def partsToMerge(column: Int, build: SegmentBuild): Seq[KeySupplier] =
    for {
      mergedFiles <- sources(column)
      stored = storedColumn(mergedFiles, column)
      folder = build.folderOf(merged(mergedFiles.head).from(column).segment.id).toString
      numbers = Renumbering.of(mergedFiles.filter(merged(_).file.rowGroups > 0).map { n =>
        val first = merged(n).from(column).firstRowGroup
        (first, merged(n).file.rowGroups, build.firstRowGroup(read.size + n))
      })
      // each supplier takes all new numbers to its task
      parts <- stored.parts.grouped(math.max(1, (stored.parts.size + MostTasks - 1) / MostTasks))
    } yield new PartsToMerge(
      parts.map(new KeysOfPart(folder, _, stored.hashBits, numbers)),
      column,
      mergedFiles.map(_ + read.size).toArray)
}

private object KeysToIndex {

  /** The most tasks that read the keys of a column of one segment. */
  private final val MostTasks = 16
}
