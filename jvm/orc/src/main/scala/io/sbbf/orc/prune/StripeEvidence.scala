package io.sbbf.orc.prune

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.orc.ColumnStatistics

import io.sbbf.orc.file.{FileTail, OrcFileReader, RowGroups}

/**
 * What is known about one version of one file, read when it is needed. Thread-safe.
 *
 * @param mostRetained the most bytes of row groups that it keeps; further ones are read again
 */
private[prune] final class StripeEvidence(val tail: FileTail, mostRetained: Long) {
  import StripeEvidence.Place

  private val statistics = new ConcurrentHashMap[Int, Array[ColumnStatistics]]
  private val rowGroups = new ConcurrentHashMap[Place, Option[RowGroups]]
  private val retained = new AtomicLong

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
    val fresh =
      if (unread.isEmpty) Map.empty[Int, Option[RowGroups]]
      else unread.zip(open().rowGroups(stripe, unread)).toMap
    fresh.foreach { case (column, read) => retain(Place(stripe, column), read) }
    def known(column: Int) = fresh.getOrElse(column, rowGroups.get(Place(stripe, column)))
    columns.flatMap(c => known(c).map(c -> _)).toMap
  }

  private def retain(place: Place, read: Option[RowGroups]): Unit = {
    val bytes = read.fold(0L)(_.bytes) + Place.Bytes
    // another query may have read it as well
    val isKept =
      retained.addAndGet(bytes) <= mostRetained && rowGroups.putIfAbsent(place, read) == null
    if (!isKept) retained.addAndGet(-bytes)
  }

  /** The estimated size in memory. */
  def bytes: Long = {
    var total = tail.bytes + retained.get
    statistics.values.forEach(s => total += RowGroups.bytesOf(s))
    total
  }
}

private object StripeEvidence {
  private final case class Place(stripe: Int, column: Int)

  private object Place {
    final val Bytes = 96L
  }
}
