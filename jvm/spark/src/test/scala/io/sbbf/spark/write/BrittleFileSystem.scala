package io.sbbf.spark.write

import java.io.{IOException, OutputStream}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Abortable, FSDataOutputStream, Path}
import org.apache.hadoop.util.Progressable

import io.sbbf.spark.testing.DiskAs

/**
 * The scheme `brittle:` is the local disk with a limit on the bytes of each data file. Closing a
 * data file may fail.
 */
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
    val disk =
      super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress)
    if (!file.getName.endsWith(".parquet")) disk
    else {
      streams.incrementAndGet()
      val stream = if (isAbortable.get) new Data(disk) with Upload else new Data(disk)
      new FSDataOutputStream(stream, null)
    }
  }
}

object BrittleFileSystem {
  val maxBytes = new AtomicLong(Long.MaxValue)

  /** The next closes of data files that fail. */
  val failuresToClose = new AtomicInteger

  /** Whether streams can be aborted, as those of object stores. */
  val isAbortable = new AtomicBoolean

  /** Open streams of data files, neither closed nor aborted. */
  val streams = new AtomicInteger

  /** Aborted streams. */
  val aborted = new AtomicInteger

  private class Data(disk: OutputStream) extends OutputStream {
    private var isOpen = true
    private var left = maxBytes.get

    private def take(bytes: Int): Unit = {
      left -= bytes
      if (left < 0) throw new IOException("No space left on device")
    }

    override def write(byte: Int): Unit = {
      take(1)
      disk.write(byte)
    }

    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      take(length)
      disk.write(bytes, from, length)
    }

    override def close(): Unit = if (isOpen) {
      isOpen = false
      streams.decrementAndGet()
      disk.close()
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
