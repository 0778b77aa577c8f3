package io.sbbf.parquet.input

import java.io.Closeable

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.model.FileVersion

/**
 * Records the ranges that are read of a file. Not thread-safe.
 *
 * Fetches the tail of the file first, to read less often. It records only the requested ranges of
 * the tail, so its own readers read no more of the tail than they need.
 *
 * @param file the file as listed
 */
private[parquet] final class RecordingSource(source: ByteSource, file: FileStatus)
    extends ByteSource
    with Closeable {
  private val bytes = new FileBytes(source, file.getPath, file.getLen)

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

  override def tailBytes: Int = FileBytes.MinTail

  override def close(): Unit = bytes.close()
}
