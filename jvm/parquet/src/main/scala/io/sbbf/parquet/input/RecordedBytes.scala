package io.sbbf.parquet.input

import java.lang.{Long => JLong}
import java.util.TreeMap

import scala.util.control.ControlThrowable

import io.sbbf.parquet.model.FileVersion

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

/**
 * A file of which only recorded bytes can be read. Everything else throws
 * [[RecordedBytes.Missing]], because the store may have another version of the file by now.
 *
 * @param readAt when the bytes were in the store at the latest, in milliseconds since 1970
 * @param verified the version of the file if the store had it when it was opened, and otherwise None
 */
private[parquet] final class RecordedSource(
    recorded: RecordedBytes,
    override val readAt: Long,
    verified: Option[FileVersion])
    extends ByteSource {

  override def open(): OpenFile = new OpenFile {
    override def readFully(offset: Long, bytes: Array[Byte]): Unit = recorded.copy(offset, bytes)
    override def close(): Unit = ()
  }

  override def version(): FileVersion = verified.getOrElse(throw RecordedBytes.Missing)

  override def tailBytes: Int = FileBytes.MinTail
}
