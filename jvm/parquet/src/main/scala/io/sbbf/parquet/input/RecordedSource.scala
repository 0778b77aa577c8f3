package io.sbbf.parquet.input

import io.sbbf.parquet.model.FileVersion

/**
 * A file of which only recorded bytes can be read. A read of others throws
 * [[RecordedBytes.Missing]], because the store may have another version of the file by now.
 *
 * @param store the file in its store
 */
private[parquet] final class RecordedSource(recorded: RecordedBytes, store: ByteSource)
    extends ByteSource {

  override def open(): OpenFile = new OpenFile {
    override def readFully(offset: Long, bytes: Array[Byte]): Unit = recorded.copy(offset, bytes)
    override def close(): Unit = ()
  }

  override def version(): FileVersion = store.version()

  override def readAt: Long = recorded.readAt
}
