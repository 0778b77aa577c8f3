package io.sbbf.spark.read

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import io.sbbf.parquet.model.FileVersion
import io.sbbf.spark.pages.FileRead.Reader
import io.sbbf.spark.pages.PageReads
import io.sbbf.spark.pushdown.PushdownLevel

/**
 * Reads only the surviving row groups of a split, with a Spark reader that takes any byte range.
 */
private[spark] object RowGroupRanges {

  /** The key of a file's byte ranges in its constant metadata: Array(start, end, start, end). */
  val Key = "__sbbf_row_group_ranges"

  /** The key of the name of the file's [[PushdownLevel]], absent if that is `AnyFile`. */
  val LevelKey = "__sbbf_pushdown_level"

  /** The key of the file's ETag when it was listed, absent if its store has none. */
  val EtagKey = "__sbbf_etag"

  /**
   * Returns the rows of a split, read by Spark's reader of its level, without the row groups
   * whose midpoint is outside its ranges. The results of planning hold only for one version of a
   * file; another version is read whole, without filters.
   *
   * @param pages chooses rows of the row groups, if the scan can
   */
  def read(
      split: PartitionedFile,
      readers: Readers,
      conf: Configuration,
      pages: Option[PageReads] = None): Iterator[InternalRow] = {
    val metadata = split.otherConstantMetadataColumnValues
    val ranges = metadata.get(Key).collect { case ranges: Array[Long] => ranges }
    val level = metadata.get(LevelKey)
    val needsVersion = ranges.isDefined ||
      Seq(PushdownLevel.AsDeclared, PushdownLevel.SafeColumns).exists(l =>
        level.contains(l.toString))
    def isPlannedVersion() = statusNow(split, conf).exists(isSameVersion(_, split))
    lazy val file = statusNow(split, conf)
    val isPlanned = !needsVersion || file.exists(isSameVersion(_, split))
    val all = readers.of(level, isPlanned)
    val whole = pages.fold(all)(_ => PageReads.whole(all))
    if (!isPlanned) whole(file.fold(split)(wholly(split, _)))
    else {
      // the filter's columns are read with the filters that lose no row of any file
      val mayChoose = level.isEmpty || level.contains(PushdownLevel.AsDeclared.toString)
      val reader: Reader =
        pages.filter(_ => mayChoose).fold(whole)(p => p.read(_, all, () => isPlannedVersion()))
      ranges.fold(reader(split))(r => chain(within(split, r), split, reader))
    }
  }

  /** Spark's readers of a scan, one for each set of filters that parquet-mr may evaluate. */
  final class Readers(
      anyFile: Reader,
      asDeclared: Reader,
      safeColumns: Reader,
      unfiltered: Reader)
      extends Serializable {
    def of(level: Option[Any], isPlannedVersion: Boolean): Reader =
      if (!isPlannedVersion || level.contains(PushdownLevel.Nothing.toString)) unfiltered
      else if (level.contains(PushdownLevel.AsDeclared.toString)) asDeclared
      else if (level.contains(PushdownLevel.SafeColumns.toString)) safeColumns
      else anyFile
  }

  /**
   * Returns the parts of `ranges` inside the split; only one split has a row group's midpoint.
   */
  private[spark] def within(split: PartitionedFile, ranges: Array[Long]): Seq[(Long, Long)] = {
    val splitEnd = split.start + split.length
    ranges
      .grouped(2)
      .map { case Array(from, to) => (math.max(from, split.start), math.min(to, splitEnd)) }
      .filter { case (from, to) => from < to }
      .toSeq
  }

  private def chain(
      parts: Seq[(Long, Long)],
      split: PartitionedFile,
      reader: Reader): Iterator[InternalRow] = {
    def open(part: (Long, Long)) = reader(split.copy(start = part._1, length = part._2 - part._1))
    if (parts.isEmpty) Iterator.empty
    else if (parts.size == 1) open(parts.head)
    // elements are rows or, under the same static type, column batches: no cast may check them
    else
      new ChainedRows(parts.iterator.map(part => () => open(part).asInstanceOf[Iterator[Any]]))
        .asInstanceOf[Iterator[InternalRow]]
  }

  /** Returns None if the file is gone or unreachable; Spark's reader then reports the error. */
  private def statusNow(split: PartitionedFile, conf: Configuration): Option[FileStatus] =
    try Some(split.toPath.getFileSystem(conf).getFileStatus(split.toPath))
    catch { case NonFatal(_) => None }

  private def isSameVersion(now: FileStatus, split: PartitionedFile): Boolean = {
    val etag = split.otherConstantMetadataColumnValues.get(EtagKey).map(_.toString)
    FileVersion
      .of(now)
      .isSameAs(FileVersion(now.getPath, split.fileSize, split.modificationTime, etag))
  }

  /**
   * Returns the split to read of a file that was replaced after planning, whose old ranges no
   * longer hold. A split of the whole file becomes the whole new file; any other split stays as
   * it is, as in Spark without the extension.
   */
  private def wholly(split: PartitionedFile, now: FileStatus): PartitionedFile =
    if (split.start == 0 && split.length == split.fileSize)
      split.copy(
        length = now.getLen,
        fileSize = now.getLen,
        modificationTime = now.getModificationTime)
    else split
}
