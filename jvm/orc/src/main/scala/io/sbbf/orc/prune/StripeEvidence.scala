package io.sbbf.orc.prune

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicLong, AtomicReferenceArray}

import scala.annotation.tailrec

import org.apache.orc.ColumnStatistics

import io.sbbf.orc.file.{FileTail, OrcFileReader, RowGroups}
import io.sbbf.parquet.chunk.{CachedEvidence, PassCounter}

/**
 * What is known about one version of one file, read when it is needed. Thread-safe.
 *
 * @param mostRetained the most bytes of row groups that it keeps; further ones are read again
 */
private[prune] final class StripeEvidence(val tail: FileTail, mostRetained: Long)
    extends CachedEvidence {
  import StripeEvidence._

  @volatile private var lastUse = PassCounter.latest
  private val statistics = new ConcurrentHashMap[Int, Array[ColumnStatistics]]
  private val rowGroups =
    new AtomicReferenceArray[Index](Array.fill(tail.stripes.size)(Map.empty: Index))
  private val retained = new AtomicLong

  /** Returns the statistics of a column in each stripe, null where they are unusable. */
  def ofStripes(column: Int, open: () => OrcFileReader): Array[ColumnStatistics] = {
    lastUse = PassCounter.latest
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
    lastUse = PassCounter.latest
    val known = rowGroups.get(stripe)
    if (columns.forall(known.contains)) known
    else {
      val unread = columns.filterNot(known.contains)
      val read = unread.zip(open().rowGroups(stripe, unread))
      read.foreach { case (column, of) => retain(stripe, column, of) }
      known ++ read
    }
  }

  private def retain(stripe: Int, column: Int, read: Option[RowGroups]): Unit = {
    val bytes = bytesOf(read)
    if (retained.addAndGet(bytes) > mostRetained || !add(stripe, column, read))
      retained.addAndGet(-bytes)
  }

  /** Returns false if another query has read the column as well. */
  @tailrec
  private def add(stripe: Int, column: Int, read: Option[RowGroups]): Boolean = {
    val known = rowGroups.get(stripe)
    !known.contains(column) &&
    (rowGroups.compareAndSet(stripe, known, known + (column -> read)) ||
      add(stripe, column, read))
  }

  override private[sbbf] def footerBytes: Long = tail.bytes

  override private[sbbf] def contentBytes: Long = {
    var total = retained.get
    statistics.values.forEach(s => total += RowGroups.bytesOf(s))
    total
  }

  /** Forgets the statistics of stripes and row groups if no later pass has used any of them. */
  override private[sbbf] def forgetContents(usedBefore: Long): Long = {
    if (lastUse < usedBefore) {
      statistics.clear()
      tail.stripes.indices.foreach { stripe =>
        val gone = rowGroups.getAndSet(stripe, Map.empty)
        retained.addAndGet(-gone.values.map(bytesOf).sum)
      }
    }
    contentBytes
  }
}

private[prune] object StripeEvidence {

  /** What the index of one stripe states, by the numbers of columns. */
  type Index = Map[Int, Option[RowGroups]]

  private final val EntryBytes = 96L

  private def bytesOf(read: Option[RowGroups]): Long = read.fold(0L)(_.bytes) + EntryBytes
}
