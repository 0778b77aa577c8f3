package io.sbbf.spark.index

import io.sbbf.index.maintain.KeysOfPart
import io.sbbf.spark.table.OpenedTable

/**
 * A part of a column of another segment, whose keys a task reads.
 *
 * @param column the number of the column in the new segment
 * @param files the numbers of the files whose keys the part may hold
 */
private[index] final class PartToMerge(
    keys: KeysOfPart,
    column: Int,
    override protected val files: Seq[Int])
    extends KeySupplier {

  override def runs(
      table: OpenedTable,
      checksVersion: Boolean,
      layout: PartLayout): Iterator[(Int, AnyRef)] = {
    lazy val left = keys.runs(layout.packings(column), table.conf)
    var isDone = false
    def next() = orFailure(keys.name, layout) {
      isDone = !left.hasNext
      if (isDone) Iterator[(Int, AnyRef)]() else byPartition(left.next(), column, layout)
    } { isDone = true }
    Iterator.continually(isDone).takeWhile(!_).flatMap(_ => next())
  }
}
