package io.sbbf.parquet.input

import java.io.{Closeable, EOFException, IOException}
import java.util.Arrays
import java.util.concurrent.ExecutionException

import org.apache.hadoop.fs.{FSDataInputStream, FileSystem, Path}

import io.sbbf.parquet.model.FileVersion

/**
 * The bytes of one file: opened at first need, once; the tail that is read for the footer serves
 * every later read that lies within it. Not thread-safe: one for each file and pass.
 *
 * @param length of the file in bytes, as its listing told; it saves asking the store again
 * @param tailBytes how much of the end of the file the first read of the tail takes
 */
final class FileBytes(fs: FileSystem, val path: Path, val length: Long, tailBytes: Int)
    extends Closeable {
  private var stream: FSDataInputStream = _
  private var expected = Option.empty[FileVersion]
  private var mayBeAnother = false
  private var tailRead: Array[Byte] = _
  private var ahead: Array[Byte] = _
  private var aheadStart: Long = 0
  private var read: Long = 0
  private var opened: Int = 0

  /**
   * From now on nothing is read of another version: what is known of this one would be combined with what the other
   * one says.
   */
  def expect(version: FileVersion): Unit = expected = Some(version)

  /** Bytes asked of the store so far. */
  def bytesRead: Long = read

  /** How often the file was opened: 0 or 1. */
  def opens: Int = opened

  /**
   * Exactly these bytes.
   *
   * @throws java.io.IOException naming the file, when they do not lie in it or cannot be read in
   *   full
   */
  def read(offset: Long, length: Int): Array[Byte] = {
    if (offset < 0 || length < 0 || offset > this.length - length)
      throw new IOException(s"$path: no $length bytes at $offset in a file of ${this.length}")
    if (holds(tailRead, tailStart, offset, length)) slice(tailRead, tailStart, offset, length)
    else if (holds(ahead, aheadStart, offset, length)) slice(ahead, aheadStart, offset, length)
    else readFully(offset, length)
  }

  /**
   * Fetches bytes that the next reads will ask for in pieces; those of an earlier call are
   * forgotten.
   *
   * @throws java.io.IOException as [[read]]
   */
  private[parquet] def readAhead(offset: Long, length: Int): Unit =
    if (!holds(tailRead, tailStart, offset, length)) {
      ahead = read(offset, length)
      aheadStart = offset
    }

  /** The last bytes of the file, read once; not to be changed. */
  private[parquet] def tail: Array[Byte] = {
    if (tailRead == null) {
      val size = math.min(length, math.max(tailBytes, FileBytes.MinTail).toLong).toInt
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
      open().readFully(offset, bytes, 0, length)
      read += length
      bytes
    } catch {
      case e: EOFException =>
        throw new IOException(s"$path: ends before byte ${offset + length}", e)
    }
  }

  /**
   * The version is looked at when the file is open: what is read then is of the file that was there before.
   *
   * `openFile` with a known length saves object stores a HEAD request; others ignore the options.
   */
  private def open(): FSDataInputStream = {
    if (stream == null) {
      opened += 1
      mayBeAnother = expected.isDefined // until it is known not to be
      val opening = fs.openFile(path)
      opening.opt("fs.option.openfile.length", length.toString)
      opening.opt("fs.option.openfile.read.policy", "random")
      stream =
        try opening.build().get()
        catch { case e: ExecutionException if e.getCause != null => throw e.getCause }
      mayBeAnother = expected.exists(!FileVersion.of(fs.getFileStatus(path)).isSameAs(_))
    }
    if (mayBeAnother) throw new IOException(s"$path: replaced since it was listed")
    stream
  }

  override def close(): Unit = if (stream != null) stream.close()
}

private object FileBytes {

  /** The footer's length and the closing magic. */
  val MinTail = 8
}
