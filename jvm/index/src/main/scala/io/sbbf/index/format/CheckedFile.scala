package io.sbbf.index.format

import java.io.IOException
import java.util.zip.CRC32

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.ParquetRuntimeException
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.io.{InputFile, OutputFile, PositionOutputStream}

import io.sbbf.parquet.input.{ByteSource, FileBytes, OpenFile}
import io.sbbf.parquet.model.FileVersion

/** Reads and writes files whose manifest has a CRC-32 of their end, or of all of their bytes. */
private[sbbf] object CheckedFile {

  /**
   * Returns the last bytes of a file as parquet-mr reads them; other bytes cannot be read.
   *
   * @param length the length of the file
   * @param from the position of the first of these bytes
   * @param checksum their CRC-32
   * @throws java.io.IOException if they cannot be read; a [[DamagedIndex]] if they are others
   */
  def read(
      path: Path,
      length: Long,
      from: Long,
      checksum: Long,
      conf: Configuration): InputFile = {
    val bytes = new FileBytes(path.getFileSystem(conf), path, length)
    try {
      if (from < 0 || length - from > Int.MaxValue) throw new DamagedIndex(s"$path is too large")
      val end = bytes.read(from, (length - from).toInt)
      val crc = new CRC32
      crc.update(end, 0, end.length)
      if (crc.getValue != checksum) throw new DamagedIndex(s"$path is damaged: checksum mismatch")
      new Memory(end, from).inputFile(new FileStatus(length, false, 1, 0, 0, path))
    } finally bytes.close()
  }

  private final class Memory(bytes: Array[Byte], from: Long) extends ByteSource with OpenFile {
    override def open(): OpenFile = this
    override def readFully(offset: Long, into: Array[Byte]): Unit = {
      if (offset < from) throw new DamagedIndex("only the end of the file was read")
      System.arraycopy(bytes, (offset - from).toInt, into, 0, into.length)
    }
    override def version(): FileVersion = throw new UnsupportedOperationException
    override def close(): Unit = ()
  }

  /** A new file that computes the CRC-32 of what is written. Not thread-safe. */
  final class Output(path: Path, conf: Configuration) extends OutputFile {
    private val file = HadoopOutputFile.fromPath(path, conf)
    private val crc = new CRC32
    private var position = 0L
    private var open = Option.empty[PositionOutputStream]

    /** The number of bytes that were written. */
    def length: Long = position

    def checksum: Long = crc.getValue

    /** Computes the checksum of what follows only. */
    def restart(): Unit = crc.reset()

    /**
     * Returns the result of `write`. If it fails, it closes the file that `write` has left open.
     *
     * @throws java.io.IOException if the file cannot be written
     */
    def closing[T](write: => T): T =
      try write
      catch {
        case e: Throwable =>
          try open.foreach(_.close())
          catch { case NonFatal(other) if other ne e => e.addSuppressed(other) }
          throw (e match {
            case wrapped: ParquetRuntimeException if wrapped.getCause.isInstanceOf[IOException] =>
              wrapped.getCause
            case _ => e
          })
      }

    override def create(blockSizeHint: Long): PositionOutputStream =
      wrap(file.create(blockSizeHint))
    override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
      wrap(file.createOrOverwrite(blockSizeHint))
    override def supportsBlockSize: Boolean = file.supportsBlockSize
    override def defaultBlockSize: Long = file.defaultBlockSize

    private def wrap(out: PositionOutputStream): PositionOutputStream = {
      val wrapped = new PositionOutputStream {
        override def getPos: Long = position
        override def write(byte: Int): Unit = {
          out.write(byte)
          crc.update(byte)
          position += 1
        }
        override def write(bytes: Array[Byte], from: Int, count: Int): Unit = {
          out.write(bytes, from, count)
          crc.update(bytes, from, count)
          position += count
        }
        override def flush(): Unit = out.flush()
        override def close(): Unit = {
          open = None
          out.close()
        }
      }
      open = Some(wrapped)
      wrapped
    }
  }
}
