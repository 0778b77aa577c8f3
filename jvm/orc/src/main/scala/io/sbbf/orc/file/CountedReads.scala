package io.sbbf.orc.file

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.apache.hadoop.fs._

/** Counts how often files are opened, and the bytes that are read from them. Thread-safe. */
private[orc] final class CountedReads {
  private val opened = new AtomicInteger
  private val read = new AtomicLong

  def opens: Int = opened.get
  def bytes: Long = read.get

  /** Returns a file system that reads as `system` does, and counts here. */
  def of(system: FileSystem): FileSystem = new FilterFileSystem(system) {
    override def open(path: Path, bufferSize: Int): FSDataInputStream = {
      opened.incrementAndGet()
      new FSDataInputStream(new Counted(system.open(path, bufferSize)))
    }
  }

  private def count(bytes: Int): Int = {
    if (bytes > 0) read.addAndGet(bytes.toLong)
    bytes
  }

  private final class Counted(in: FSDataInputStream) extends FSInputStream {
    override def seek(position: Long): Unit = in.seek(position)
    override def getPos: Long = in.getPos
    override def seekToNewSource(target: Long): Boolean = in.seekToNewSource(target)
    override def close(): Unit = in.close()

    override def read(): Int = {
      val byte = in.read()
      if (byte >= 0) count(1)
      byte
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
      count(in.read(bytes, offset, length))

    override def read(position: Long, bytes: Array[Byte], offset: Int, length: Int): Int =
      count(in.read(position, bytes, offset, length))

    override def readFully(position: Long, bytes: Array[Byte], offset: Int, length: Int): Unit = {
      in.readFully(position, bytes, offset, length)
      count(length)
    }
  }
}
