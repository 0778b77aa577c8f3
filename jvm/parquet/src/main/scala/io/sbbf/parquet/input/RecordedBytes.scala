package io.sbbf.parquet.input

import java.lang.{Long => JLong}
import java.util.TreeMap

import scala.util.control.ControlThrowable

/**
 * The bytes of one file that were read elsewhere. Not thread-safe.
 */
private[parquet] final class RecordedBytes extends Serializable {
  private val parts = new TreeMap[JLong, Array[Byte]]
  private var total = 0L

  /** Returns how many bytes it holds. */
  def size: Long = total

  /** Keeps bytes of the file from `offset` on. Do not change them later. */
  def record(offset: Long, bytes: Array[Byte]): Unit =
    if (find(offset, bytes.length).isEmpty) {
      val replaced = parts.put(offset, bytes)
      total += bytes.length - (if (replaced == null) 0 else replaced.length)
    }

  /**
   * Fills `into` with the bytes of the file from `offset` on.
   *
   * @throws RecordedBytes.Missing if some of them were not recorded
   */
  def copy(offset: Long, into: Array[Byte]): Unit = {
    val (start, part) = find(offset, into.length).getOrElse(throw RecordedBytes.Missing)
    System.arraycopy(part, (offset - start).toInt, into, 0, into.length)
  }

  /** Returns the start and the bytes of a part that holds this range. */
  private def find(offset: Long, length: Int): Option[(Long, Array[Byte])] =
    Option(parts.floorEntry(offset))
      .map(part => (part.getKey.toLong, part.getValue))
      .filter { case (start, bytes) => offset + length <= start + bytes.length }
}

private[parquet] object RecordedBytes {

  /** Signals that a read needs bytes that were not recorded. */
  object Missing extends ControlThrowable
}
