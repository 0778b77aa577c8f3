package io.sbbf.parquet.input

import java.io.Closeable

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.model.FileVersion

/**
 * Records the ranges that are read of a file. Not thread-safe.
 *
 * Fetches the tail of the file first, to read less often. It records only the requested ranges of
 * the tail: a reader that uses this source should request a tail of [[FileBytes.MinTail]] bytes.
 *
 * @param file the file as listed
 * @param tailBytes how many bytes are fetched from the end of the file
 */
private[parquet] final class RecordingSource(source: ByteSource, file: FileStatus, tailBytes: Int)
    extends ByteSource
    with Closeable {
  private val bytes = new FileBytes(source, file.getPath, file.getLen, tailBytes)

  /** What was read so far. */
  val recorded = new RecordedBytes

  /** Returns how many bytes were read from the store so far. */
  def bytesRead: Long = bytes.bytesRead

  /** Rejects reads of any other version from now on. */
  def expect(version: FileVersion): Unit = bytes.expect(version)

  override def open(): OpenFile = {
    bytes.tail
    new OpenFile {
      override def readFully(offset: Long, into: Array[Byte]): Unit = {
        val some = bytes.read(offset, into.length)
        recorded.record(offset, some)
        System.arraycopy(some, 0, into, 0, some.length)
      }

      /** The owner of the source closes it. */
      override def close(): Unit = ()
    }
  }

  override def version(): FileVersion = source.version()

  override def close(): Unit = bytes.close()
}
