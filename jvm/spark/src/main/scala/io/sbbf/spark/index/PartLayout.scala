package io.sbbf.spark.index

import io.sbbf.index.build.KeyPacking

/**
 * Numbers the parts of all columns, which are partitions of a shuffle. The last partition gets the
 * failures.
 */
private[index] final class PartLayout(val packings: Seq[KeyPacking]) extends Serializable {
  private val firsts = packings.scanLeft(0)(_ + _.numParts)

  def failures: Int = firsts.last
  def size: Int = failures + 1

  def columnOf(partition: Int): Int = firsts.lastIndexWhere(_ <= partition)
  def partOf(partition: Int): Int = partition - firsts(columnOf(partition))
  def partition(column: Int, part: Int): Int = firsts(column) + part
}
