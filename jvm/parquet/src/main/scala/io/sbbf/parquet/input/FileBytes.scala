package io.sbbf.parquet.input

import java.io.{Closeable, EOFException, IOException}
import java.util.Arrays

import org.apache.hadoop.fs.{FileSystem, Path}

import io.sbbf.parquet.model.FileVersion

/**
 * Reads the bytes of one file. Opens the file once, at the first read. The tail that is read for
 * the footer serves every later read within it. Not thread-safe: use one instance per file and
 * pass.
 *
 * @param length the length of the file in bytes, as its listing reported it, which saves a
 *   request to the store
 */
final class FileBytes private[sbbf] (source: ByteSource, val path: Path, val length: Long)
    extends Closeable {

  def this(fs: FileSystem, path: Path, length: Long, tailBytes: Int = FileBytes.TailBytes) =
    this(new HadoopSource(fs, path, length, tailBytes), path, length)

  private var stream: OpenFile = _
  private var expected = Option.empty[FileVersion]
  private var isUnverified = false
  private var tailRead: Array[Byte] = _
  private var ahead: Array[Byte] = _
  private var aheadStart: Long = 0
  private var read: Long = 0
  private var opened: Int = 0

  /**
   * Rejects reads of any other version from now on, because facts about one version must not be
   * combined with those about another.
   */
  def expect(version: FileVersion): Unit = expected = Some(version)

  /** Returns the time of reads that begin now; see [[ByteSource.readAt]]. */
  private[parquet] def readAt: Long = source.readAt

  /** Returns how many bytes were read from the store so far. */
  def bytesRead: Long = read

  /** Returns how often the file was opened: 0 or 1. */
  def opens: Int = opened

  /**
   * Returns exactly these bytes.
   *
   * @throws java.io.IOException with the file in the message, if the bytes are not within the
   *   file or cannot be read in full
   */
  def read(offset: Long, length: Int): Array[Byte] = {
    if (offset < 0 || length < 0 || offset > this.length - length)
      throw new EOFException(s"$path: no $length bytes at $offset in a file of ${this.length}")
    if (holds(tailRead, tailStart, offset, length)) slice(tailRead, tailStart, offset, length)
    else if (holds(ahead, aheadStart, offset, length)) slice(ahead, aheadStart, offset, length)
    else readFully(offset, length)
  }

  /**
   * Fetches bytes that the next reads will request in pieces, and drops those of an earlier call.
   *
   * @throws java.io.IOException as [[read]]
   */
  private[parquet] def readAhead(offset: Long, length: Int): Unit =
    if (!holds(tailRead, tailStart, offset, length)) {
      ahead = read(offset, length)
      aheadStart = offset
    }

  /** Returns the last bytes of the file, which are read once. Do not change them. */
  private[parquet] def tail: Array[Byte] = {
    if (tailRead == null) {
      val size = math.min(length, math.max(source.tailBytes, FileBytes.MinTail).toLong).toInt
      tailRead = readFully(length - size, size)
    }
    tailRead
  }

  private def tailStart: Long = if (tailRead == null) length else length - tailRead.length

  private def holds(buffer: Array[Byte], start: Long, offset: Long, length: Int): Boolean =
    buffer != null && offset >= start && offset + length <= start + buffer.length

  private def slice(buffer: Array[Byte], start: Long, offset: Long, length: Int): Array[Byte] =
    Arrays.copyOfRange(buffer, (offset - start).toInt, (offset - start).toInt + length)

  private def readFully(offset: Long, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    try {
      open().readFully(offset, bytes)
      read += length
      bytes
    } catch {
      case e: EOFException =>
        throw new EOFException(s"$path: the file ends before byte ${offset + length}")
          .initCause(e)
    }
  }

  /**
   * Opens the file at the first call, then checks its version. In this order, later reads are of
   * the file that was there before the check.
   */
  private def open(): OpenFile = {
    if (stream == null) {
      opened += 1
      isUnverified = expected.isDefined // until its version is checked
      stream = source.open()
      isUnverified = expected.exists(!source.version().isSameAs(_))
    }
    if (isUnverified) throw new IOException(s"$path: the file was replaced after its listing")
    stream
  }

  override def close(): Unit = if (stream != null) stream.close()
}

private[sbbf] object FileBytes {

  /**
   * How much is read at once of the end of a file. It holds the footer of most files, and the filters
   * before it; a request to a store takes as long for less.
   */
  final val TailBytes: Int = 64 << 10

  /** The size of the footer's length and the closing magic. */
  val MinTail = 8
}
