package io.sbbf.parquet.input

import java.util.concurrent.ExecutionException

import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, FileSystem, Path}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.InputFile

import io.sbbf.parquet.model.FileVersion

/**
 * A file that Hadoop's file system opens.
 *
 * @param length the length of the file in bytes, as its listing reported it
 */
private[input] final class HadoopSource(
    fs: FileSystem,
    path: Path,
    length: Long,
    override val tailBytes: Int = FileBytes.TailBytes)
    extends ByteSource {

  /**
   * `openFile` with a known length saves object stores a HEAD request; others ignore the options.
   */
  override def open(): OpenFile = {
    val opening = fs.openFile(path)
    opening.opt("fs.option.openfile.length", length.toString)
    opening.opt("fs.option.openfile.read.policy", "random")
    val stream: FSDataInputStream =
      try opening.build().get()
      catch { case e: ExecutionException if e.getCause != null => throw e.getCause }
    new OpenFile {
      override def readFully(offset: Long, bytes: Array[Byte]): Unit =
        stream.readFully(offset, bytes, 0, bytes.length)
      override def close(): Unit = stream.close()
    }
  }

  override def version(): FileVersion = FileVersion.of(fs.getFileStatus(path))

  override def inputFile(file: FileStatus): InputFile =
    HadoopInputFile.fromStatus(file, fs.getConf)
}
