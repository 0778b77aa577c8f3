package io.sbbf.spark.index

import java.io.{EOFException, FileNotFoundException}

import io.sbbf.index.build.PartLayout
import io.sbbf.index.format.DamagedIndex
import io.sbbf.index.maintain.KeysOfPart
import io.sbbf.spark.table.OpenedTable

/**
 * Parts of a column of another segment, whose keys a task reads. Damage is a failure of all files
 * whose keys they may hold. After other errors Spark runs the task again.
 *
 * @param column the number of the column in the new segment
 * @param files the numbers of these files
 */
private[index] final class PartsToMerge(
    parts: Seq[KeysOfPart],
    column: Int,
    override protected val files: Array[Int])
    extends KeySupplier {

  override def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)] =
    parts.iterator.flatMap { part =>
      lazy val left = part.runs(layout.packings(column), table.conf)
      var isDone = false
      def next() = orFailure(layout) {
        isDone = !left.hasNext
        if (isDone) Iterator[(Int, AnyRef)]() else byPartition(left.next(), column, layout)
      } { isDone = true }
      Iterator.continually(isDone).takeWhile(!_).flatMap(_ => next())
    }

  override protected def reasonOf(e: Throwable): Option[String] = e match {
    case _: DamagedIndex | _: EOFException | _: FileNotFoundException => Some(e.getMessage)
    case _ => None
  }
}
