package io.sbbf.spark.iceberg

import java.io.{EOFException, InputStream}

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.input.{ByteSource, FileStore, OpenFile}
import io.sbbf.parquet.model.FileVersion
import io.sbbf.spark.iceberg.Members.call

/**
 * Opens files as their Iceberg table does, with its credentials.
 *
 * @param io the table's `org.apache.iceberg.io.FileIO`, which tasks receive as a copy
 */
private[iceberg] final class IcebergStore(io: AnyRef) extends FileStore with Serializable {

  override def sources(files: IndexedSeq[FileStatus]): IndexedSeq[ByteSource] = files.map {
    case file: IcebergFile =>
      val arguments = Seq(classOf[String] -> file.location, classOf[Long] -> file.getLen)
      new Source(file, call[AnyRef](io, "newInputFile", arguments))
    case other => throw new IllegalArgumentException(s"not a file of the table: $other")
  }

  override def close(): Unit = call[Unit](io, "close")

  private final class Source(file: IcebergFile, input: AnyRef) extends ByteSource {

    override def open(): OpenFile = {
      val stream = call[InputStream](input, "newStream")
      if (Members.has(stream, "readFully", Seq(classOf[Long], classOf[Array[Byte]]): _*))
        new Ranges(stream)
      else new Seeks(stream, file)
    }

    override def version(): FileVersion = FileVersion.of(file)
  }

  /** Reads each range in one request (`RangeReadable`). */
  private final class Ranges(stream: InputStream) extends OpenFile {
    override def readFully(offset: Long, bytes: Array[Byte]): Unit =
      call[Unit](stream, "readFully", Seq(classOf[Long] -> offset, classOf[Array[Byte]] -> bytes))

    override def close(): Unit = stream.close()
  }

  /** Moves a stream (`SeekableInputStream`). */
  private final class Seeks(stream: InputStream, file: IcebergFile) extends OpenFile {
    override def readFully(offset: Long, bytes: Array[Byte]): Unit = {
      call[Unit](stream, "seek", Seq(classOf[Long] -> offset))
      if (stream.readNBytes(bytes, 0, bytes.length) < bytes.length)
        throw new EOFException(s"${file.location}: ends before byte ${offset + bytes.length}")
    }

    override def close(): Unit = stream.close()
  }
}
