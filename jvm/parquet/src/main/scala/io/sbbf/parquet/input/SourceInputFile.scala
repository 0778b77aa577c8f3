package io.sbbf.parquet.input

import java.io.InputStream

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}

/**
 * A file of any store, as parquet-mr reads it.
 *
 * @param file the file as listed
 */
private[parquet] final class SourceInputFile(source: ByteSource, file: FileStatus)
    extends InputFile {
  import SourceInputFile.Positioned

  override def getLength: Long = file.getLen

  /** Returns the path, which parquet-mr puts into its errors. */
  override def toString: String = file.getPath.toString

  override def newStream(): SeekableInputStream = {
    val stream = new Positioned(source.open(), file.getLen)
    new DelegatingSeekableInputStream(stream) {
      override def getPos: Long = stream.position
      override def seek(position: Long): Unit = stream.position = position
    }
  }
}

private object SourceInputFile {

  /** Reads an open file from a position on. */
  private final class Positioned(file: OpenFile, length: Long) extends InputStream {
    var position: Long = 0

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
    }

    override def read(into: Array[Byte], offset: Int, most: Int): Int =
      if (most == 0) 0
      else if (position >= length) -1
      else {
        val bytes = new Array[Byte](math.min(most.toLong, length - position).toInt)
        file.readFully(position, bytes)
        System.arraycopy(bytes, 0, into, offset, bytes.length)
        position += bytes.length
        bytes.length
      }

    override def close(): Unit = file.close()
  }
}
