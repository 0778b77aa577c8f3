package io.sbbf.spark.index

import io.sbbf.index.build.PartLayout
import io.sbbf.spark.index.IndexJob.{Failure, Written}
import io.sbbf.spark.table.OpenedTable
import io.sbbf.spark.util.ClosureBytes.pack

/** Supplies packed keys in a task: those of a file, or those of another segment. */
private[index] trait KeySupplier extends Serializable {

  /** The numbers of the files whose keys it supplies. */
  protected def files: Array[Int]

  /** Returns why an error is a failure of [[files]] alone; None if it must fail the task. */
  protected def reasonOf(e: Throwable): Option[String]

  /**
   * Returns packed keys (`Array[Long]`) by their partition.
   *
   * If they cannot be read to their end, the last value of each partition is the packed failure
   * (`Array[Byte]`). It goes to all of them: if Spark loses the output of this task and runs it
   * again, some partitions may have been read from the first run.
   */
  def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)]

  /** Splits packed keys of a column in ascending order by their partition. */
  protected final def byPartition(
      packed: Array[Long],
      column: Int,
      layout: PartLayout): Iterator[(Int, AnyRef)] =
    layout.packings(column).byPart(packed).map { case (part, of) =>
      layout.partition(column, part) -> of
    }

  /** Returns what `work` reads; after a failure, the failure by each partition. */
  protected final def orFailure(layout: PartLayout)(work: => Iterator[(Int, AnyRef)])(
      close: => Unit): Iterator[(Int, AnyRef)] = {
    def failed(why: String): Iterator[(Int, AnyRef)] = {
      close
      val failure = pack[Written](Left(Failure(files, why)))
      (0 until layout.size).iterator.map(_ -> failure)
    }
    try work
    catch {
      case e: Throwable =>
        reasonOf(e) match {
          case Some(why) => failed(why)
          case None => throw e
        }
    }
  }
}
