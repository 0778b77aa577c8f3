package io.sbbf.spark.read

import java.io.Closeable

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Reads of a split only the row groups that survived, through a stock reader that takes any byte range. */
private[spark] object RowGroupRanges {

  /** Where a file's constant metadata carries its byte ranges (Array[Long]: start, end, start, end ...). */
  val Key = "__sbbf_row_group_ranges"

  /** Where it says that stock must not check for itself which row groups, pages or rows are read. */
  val UncheckedKey = "__sbbf_unchecked"

  type Reader = PartitionedFile => Iterator[InternalRow]

  /** `split` as `stock` reads it, less the row groups whose midpoint lies outside its ranges. */
  def read(split: PartitionedFile, stock: Reader, conf: Configuration): Iterator[InternalRow] =
    split.otherConstantMetadataColumnValues.get(Key) match {
      case Some(ranges: Array[Long]) =>
        val file = statusNow(split, conf)
        if (file.exists(isSameVersion(_, split))) chain(within(split, ranges), split, stock)
        else stock(file.fold(split)(wholly(split, _)))
      case _ => stock(split)
    }

  /** `unchecked` for the files that say so, and else `stock`. */
  def choose(stock: Reader, unchecked: Reader): Reader = split =>
    if (split.otherConstantMetadataColumnValues.contains(UncheckedKey)) unchecked(split)
    else stock(split)

  /** The parts of `ranges` that lie in the split; each row group has its midpoint in one split only. */
  private[read] def within(split: PartitionedFile, ranges: Array[Long]): Seq[(Long, Long)] = {
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

/** Iterators one after the other, each opened when its turn comes; the open one is closed with the whole. */
private[read] final class ChainedRows(parts: Iterator[() => Iterator[Any]])
    extends Iterator[Any]
    with Closeable {

  private var current: Iterator[Any] = Iterator.empty

  override def hasNext: Boolean = {
    while (!current.hasNext && parts.hasNext) {
      close()
      current = parts.next()()
    }
    current.hasNext
  }

  override def next(): Any = if (hasNext) current.next() else Iterator.empty.next()

  override def close(): Unit = current match {
    case closeable: Closeable => closeable.close()
    case _ =>
  }
}
