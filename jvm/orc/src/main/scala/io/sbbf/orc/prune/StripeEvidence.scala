package io.sbbf.orc.prune

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicLong, AtomicReferenceArray}

import scala.annotation.tailrec

import org.apache.orc.ColumnStatistics

import io.sbbf.orc.file.{FileTail, OrcFileReader, RowGroups}

/**
 * What is known about one version of one file, read when it is needed. Thread-safe.
 *
 * @param mostRetained the most bytes of row groups that it keeps; further ones are read again
 */
private[prune] final class StripeEvidence(val tail: FileTail, mostRetained: Long) {
  import StripeEvidence._

  private val statistics = new ConcurrentHashMap[Int, Array[ColumnStatistics]]
  // of each stripe; null before the first of its columns is read
  private val rowGroups = new AtomicReferenceArray[Index](tail.stripes.size)
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
   * Returns what the index of a stripe states about these columns, and maybe others; None for a
   * column that it does not describe. Reads all that is missing at once.
   */
  def ofRowGroups(stripe: Int, columns: Seq[Int], open: () => OrcFileReader): Index = {
    val known = Option(rowGroups.get(stripe)).getOrElse(Map.empty: Index)
    if (columns.forall(known.contains)) known
    else {
      val unread = columns.filterNot(known.contains)
      val read = unread.zip(open().rowGroups(stripe, unread))
      read.foreach { case (column, of) => retain(stripe, column, of) }
      known ++ read
    }
  }

  private def retain(stripe: Int, column: Int, read: Option[RowGroups]): Unit = {
    val bytes = read.fold(0L)(_.bytes) + EntryBytes
    if (retained.addAndGet(bytes) > mostRetained || !add(stripe, column, read))
      retained.addAndGet(-bytes)
  }

  /** Returns false if another query has read the column as well. */
  @tailrec
  private def add(stripe: Int, column: Int, read: Option[RowGroups]): Boolean = {
    val known = rowGroups.get(stripe)
    if (known == null)
      rowGroups.compareAndSet(stripe, null, Map(column -> read)) ||
      add(stripe, column, read)
    else
      !known.contains(column) &&
      (rowGroups.compareAndSet(stripe, known, known + (column -> read)) ||
        add(stripe, column, read))
  }

  /** The estimated size in memory. */
  def bytes: Long = {
    var total = tail.bytes + retained.get
    statistics.values.forEach(s => total += RowGroups.bytesOf(s))
    total
  }
}

private[prune] object StripeEvidence {

  /** What the index of one stripe states, by the numbers of columns. */
  type Index = Map[Int, Option[RowGroups]]

  private final val EntryBytes = 96L
}
