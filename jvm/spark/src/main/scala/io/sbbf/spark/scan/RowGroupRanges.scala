package io.sbbf.spark.scan

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import io.sbbf.spark.pushdown.PushdownLevel

/** Reads of a split only the row groups that survived, through a stock reader that takes any byte range. */
private[spark] object RowGroupRanges {

  /** Where a file's constant metadata carries its byte ranges (Array[Long]: start, end, start, end ...). */
  val Key = "__sbbf_row_group_ranges"

  /** Where it carries the name of the file's [[PushdownLevel]], unless that is `AnyFile`. */
  val LevelKey = "__sbbf_pushdown_level"

  type Reader = PartitionedFile => Iterator[InternalRow]

  /**
   * A split as Spark's reader of its level reads it, less the row groups whose midpoint lies outside its ranges. What
   * planning found of a file holds for that version of it alone; another one is read whole, without filters.
   */
  def read(
      split: PartitionedFile,
      readers: Readers,
      conf: Configuration): Iterator[InternalRow] = {
    val found = split.otherConstantMetadataColumnValues
    val ranges = found.get(Key).collect { case ranges: Array[Long] => ranges }
    val level = found.get(LevelKey)
    val needsVersion = ranges.isDefined || level.contains(PushdownLevel.AsDeclared.toString)
    lazy val file = statusNow(split, conf)
    if (needsVersion && !file.exists(isSameVersion(_, split)))
      readers.of(level, isPlannedVersion = false)(file.fold(split)(wholly(split, _)))
    else {
      val reader = readers.of(level, isPlannedVersion = true)
      ranges.fold(reader(split))(r => chain(within(split, r), split, reader))
    }
  }

  /** Spark's readers of a scan, by what parquet-mr evaluates. */
  final class Readers(anyFile: Reader, asDeclared: Reader, unfiltered: Reader)
      extends Serializable {
    def of(level: Option[Any], isPlannedVersion: Boolean): Reader =
      if (!isPlannedVersion || level.contains(PushdownLevel.Nothing.toString)) unfiltered
      else if (level.contains(PushdownLevel.AsDeclared.toString)) asDeclared
      else anyFile
  }

  /** The parts of `ranges` that lie in the split; each row group has its midpoint in one split only. */
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
      stock: Reader): Iterator[InternalRow] = {
    def open(part: (Long, Long)) = stock(split.copy(start = part._1, length = part._2 - part._1))
    if (parts.isEmpty) Iterator.empty
    else if (parts.size == 1) open(parts.head)
    // the elements are rows or, under the same static type, whole column batches: no cast may look at them
    else
      new ChainedRows(parts.iterator.map(part => () => open(part).asInstanceOf[Iterator[Any]]))
        .asInstanceOf[Iterator[InternalRow]]
  }

  /** None if the file is gone or out of reach, which is for the stock reader to say. */
  private def statusNow(split: PartitionedFile, conf: Configuration): Option[FileStatus] =
    try Some(split.toPath.getFileSystem(conf).getFileStatus(split.toPath))
    catch { case NonFatal(_) => None }

  private def isSameVersion(now: FileStatus, split: PartitionedFile): Boolean =
    now.getLen == split.fileSize && now.getModificationTime == split.modificationTime

  /**
   * What to read of a file that was replaced after planning: no part of it by the old plan. A split that was the
   * whole file is now the whole new file; a part of one stays what stock Spark would read.
   */
  private def wholly(split: PartitionedFile, now: FileStatus): PartitionedFile =
    if (split.start == 0 && split.length == split.fileSize)
      split.copy(
        length = now.getLen,
        fileSize = now.getLen,
        modificationTime = now.getModificationTime)
    else split
}
