package io.sbbf.orc.prune

import java.util.concurrent.ConcurrentHashMap

import org.apache.orc.ColumnStatistics

import io.sbbf.orc.file.{FileTail, OrcFileReader, RowGroups}

/** What is known about one version of one file, read when it is needed. Thread-safe. */
private[prune] final class StripeEvidence(val tail: FileTail) {
  import StripeEvidence.Place

  private val statistics = new ConcurrentHashMap[Int, Array[ColumnStatistics]]
  private val rowGroups = new ConcurrentHashMap[Place, Option[RowGroups]]

  /** Returns the statistics of a column in each stripe, null where they are unusable. */
  def ofStripes(column: Int, open: () => OrcFileReader): Array[ColumnStatistics] = {
    val known = statistics.get(column)
    if (known != null) known
    else {
      val read = open().statistics(column)
      statistics.put(column, read)
      read
    }
  }

  /**
   * Returns what the index of a stripe states about columns; reads all of them at once. Lacks columns
   * that the index does not describe.
   */
  def ofRowGroups(
      stripe: Int,
      columns: Seq[Int],
      open: () => OrcFileReader): Map[Int, RowGroups] = {
    val unread = columns.filterNot(c => rowGroups.containsKey(Place(stripe, c)))
    if (unread.nonEmpty)
      unread.zip(open().rowGroups(stripe, unread)).foreach { case (column, read) =>
        rowGroups.put(Place(stripe, column), read)
      }
    columns.flatMap(c => rowGroups.get(Place(stripe, c)).map(c -> _)).toMap
  }

  /** The estimated size in memory. */
  def bytes: Long = {
    var total = tail.bytes
    statistics.values.forEach(s => total += s.length * RowGroups.StatisticsBytes)
    rowGroups.values.forEach(found => total += found.fold(0L)(_.bytes) + Place.Bytes)
    total
  }
}

private object StripeEvidence {
  private final case class Place(stripe: Int, column: Int)

  private object Place {
    final val Bytes = 96L
  }
}
