package io.sbbf.spark.index

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.TaskContext

import io.sbbf.index.format.StoredPart
import io.sbbf.parquet.hashes.FileHashes
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
   * Returns packed keys by their partition, a row group and a column after the other. If the file
   * cannot be read to its end in the listed version, the last value is its failure.
   */
  def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)] = {
    val hashes = new FileHashes(status, table.conf, table.store, table.columns, checksVersion)
    TaskContext.get().addTaskCompletionListener[Unit](_ => hashes.close())
    var isFailed = false
    def attempt(work: => Iterator[(Int, AnyRef)]): Iterator[(Int, AnyRef)] =
      if (isFailed) Iterator.empty
      else
        IndexJob.attempt(status)(work) match {
          case Right(found) => found
          case Left(why) =>
            isFailed = true
            hashes.close()
            Iterator(layout.failures -> failure(why))
        }
    val chunks = for {
      rowGroup <- (0 until rowGroups).iterator
      (column, leaf) <- columns.iterator
      run <- attempt(packed(hashes.of(rowGroup, leaf), rowGroup, column, layout))
    } yield run
    def end = attempt {
      hashes.check()
      hashes.close()
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

  private def failure(why: String): Array[Byte] =
    pack[Either[(Int, String), (Int, StoredPart)]](Left(number -> why))
}
