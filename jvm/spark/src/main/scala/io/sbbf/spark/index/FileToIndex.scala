package io.sbbf.spark.index

import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.TaskContext

import io.sbbf.parquet.hashes.FileHashes
import io.sbbf.spark.index.IndexJob.Failure
import io.sbbf.spark.table.OpenedTable
import io.sbbf.spark.util.ClosureBytes.pack

/**
 * A file whose keys a task reads.
 *
 * @param number its number in the segment
 * @param firstRowGroup the number of its first row group in the segment
 * @param columns the columns to read, each with its leaf in the file
 */
private[index] final class FileToIndex(
    number: Int,
    status: FileStatus,
    firstRowGroup: Int,
    rowGroups: Int,
    columns: Seq[(Int, Int)])
    extends Serializable {

  /**
   * Returns packed keys (`Array[Long]`) by their partition, a column of a row group after the other.
   *
   * If the file cannot be read to its end in the listed version, the last value of each partition is
   * the packed failure (`Array[Byte]`). It goes to all of them: if Spark loses the output of this
   * task and runs it again, some partitions may have been read from the first run.
   */
  def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)] = {
    // the listener outlives the file, and must not hold what was read of it
    val opened = new AtomicReference(
      new FileHashes(status, table.conf, table.store, table.columns, checksVersion))
    def close(): Unit = Option(opened.getAndSet(null)).foreach(_.close())
    TaskContext.get().addTaskCompletionListener[Unit](_ => close())
    def attempt(work: FileHashes => Iterator[(Int, AnyRef)]): Iterator[(Int, AnyRef)] =
      Option(opened.get).fold(Iterator[(Int, AnyRef)]()) { hashes =>
        IndexJob.attempt(status)(work(hashes)) match {
          case Right(found) => found
          case Left(why) =>
            close()
            val failure = pack[IndexJob.Written](Left(Failure(number, why)))
            (0 until layout.size).iterator.map(_ -> failure)
        }
      }
    val chunks = for {
      rowGroup <- (0 until rowGroups).iterator
      (column, leaf) <- columns.iterator
      run <- attempt(hashes => packed(hashes.of(rowGroup, leaf), rowGroup, column, layout))
    } yield run
    def end = attempt { hashes =>
      hashes.check()
      close()
      Iterator.empty
    }
    chunks ++ end
  }

  private def packed(
      hashes: Array[Long],
      rowGroup: Int,
      column: Int,
      layout: PartLayout): Iterator[(Int, AnyRef)] = {
    val packing = layout.packings(column)
    packing.byPart(packing.pack(hashes, firstRowGroup + rowGroup)).map { case (part, packed) =>
      layout.partition(column, part) -> packed
    }
  }
}
