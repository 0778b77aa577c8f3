package io.sbbf.index.build

/** Numbers the parts of all columns, which are the partitions of a shuffle. */
private[sbbf] final class PartLayout(val packings: Seq[KeyPacking]) extends Serializable {
  private val firsts = packings.scanLeft(0)(_ + _.numParts)

  def size: Int = firsts.last
  def columnOf(partition: Int): Int = firsts.lastIndexWhere(_ <= partition)
  def partOf(partition: Int): Int = partition - firsts(columnOf(partition))
  def partition(column: Int, part: Int): Int = firsts(column) + part
}
