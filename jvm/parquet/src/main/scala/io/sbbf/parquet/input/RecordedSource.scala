package io.sbbf.parquet.input

import io.sbbf.parquet.model.FileVersion

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
