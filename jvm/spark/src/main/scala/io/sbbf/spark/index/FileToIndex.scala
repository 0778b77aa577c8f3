package io.sbbf.spark.index

import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.TaskContext

import io.sbbf.index.build.PartLayout
import io.sbbf.parquet.hashes.{FileKeys, KeySource}
import io.sbbf.spark.table.OpenedTable

/**
 * A file whose keys a task reads.
 *
 * @param number its number in the segment
 * @param firstRowGroup the number of its first row group in the segment
 * @param columns the columns to read, each with where its keys come from
 */
private[index] final class FileToIndex(
    number: Int,
    status: FileStatus,
    firstRowGroup: Int,
    rowGroups: Int,
    columns: Seq[(Int, KeySource)])
    extends KeySupplier {

  override protected def files: Array[Int] = Array(number)

  override protected def reasonOf(e: Throwable): Option[String] =
    IndexJob.reasonOf(status.getPath.toString, e)

  /** Supplies the keys of a column of a row group after the other, in the listed version. */
  override def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)] = {
    // the listener outlives the file, and must not hold what was read of it
    val opened = new AtomicReference(table.keysOf(status, checksVersion))
    def close(): Unit = Option(opened.getAndSet(null)).foreach(_.close())
    TaskContext.get().addTaskCompletionListener[Unit](_ => close())
    def attempt(work: FileKeys => Iterator[(Int, AnyRef)]): Iterator[(Int, AnyRef)] =
      Option(opened.get).fold(Iterator[(Int, AnyRef)]()) { keys =>
        orFailure(layout)(work(keys))(close())
      }
    val chunks = for {
      rowGroup <- (0 until rowGroups).iterator
      (column, source) <- columns.iterator
      run <- attempt { keys =>
        val packed =
          layout.packings(column).pack(keys.hashesOf(rowGroup, source), firstRowGroup + rowGroup)
        byPartition(packed, column, layout)
      }
    } yield run
    def end = attempt { keys =>
      keys.check()
      close()
      Iterator.empty
    }
    chunks ++ end
  }
}
