package io.sbbf.spark.write

import java.io.{IOException, OutputStream}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Abortable, FSDataOutputStream, Path}
import org.apache.hadoop.util.Progressable

import io.sbbf.spark.testing.DiskAs

/** `brittle:` is the local disk with room for so many bytes of each data file, which may fail to close. */
final class BrittleFileSystem extends DiskAs("brittle") {
  import BrittleFileSystem._

  override def create(
      file: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    val stock =
      super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress)
    if (!file.getName.endsWith(".parquet")) stock
    else {
      streams.incrementAndGet()
      val stream = if (isAbortable.get) new Data(stock) with Upload else new Data(stock)
      new FSDataOutputStream(stream, null)
    }
  }
}

object BrittleFileSystem {
  val room = new AtomicLong(Long.MaxValue)

  /** How often a data file fails to close from now on. */
  val failuresToClose = new AtomicInteger

  /** Whether streams can be given up, as those of object stores. */
  val isAbortable = new AtomicBoolean

  /** Streams of data files that are neither closed nor given up. */
  val streams = new AtomicInteger

  /** Streams that were given up. */
  val aborted = new AtomicInteger

  private class Data(stock: OutputStream) extends OutputStream {
    private var isOpen = true
    private var left = room.get

    private def take(bytes: Int): Unit = {
      left -= bytes
      if (left < 0) throw new IOException("No space left on device")
    }

    override def write(byte: Int): Unit = {
      take(1)
      stock.write(byte)
    }

    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      take(length)
      stock.write(bytes, from, length)
    }

    override def close(): Unit = if (isOpen) {
      isOpen = false
      streams.decrementAndGet()
      stock.close()
      if (failuresToClose.getAndDecrement() > 0)
        throw new IOException("the store did not take the file")
    }
  }

  private trait Upload extends Abortable { this: Data =>
    override def abort(): Abortable.AbortableResult = {
      close()
      aborted.incrementAndGet()
      null
    }
  }
}
