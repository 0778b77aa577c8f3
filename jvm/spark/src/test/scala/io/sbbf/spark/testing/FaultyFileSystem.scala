package io.sbbf.spark.testing

import java.io.{IOException, InterruptedIOException, OutputStream}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.Progressable

/**
 * The local disk under the scheme `faulty`, with the faults that its companion sets. Its streams
 * return a few bytes at a time, as those of object stores do, and of HDFS at the end of a packet.
 */
final class FaultyFileSystem extends DiskAs(FaultyFileSystem.Scheme) {
  import FaultyFileSystem._

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    if (refuses(path)) throw new AccessControlException(s"no access to $path")
    if (isCancelled) throw new InterruptedIOException("cancelled")
    val stream = super.open(path, bufferSize)
    new FSDataInputStream(new FSInputStream {
      override def read(): Int = stream.read()
      override def read(buffer: Array[Byte], offset: Int, length: Int): Int =
        stream.read(buffer, offset, math.min(length, AtOnce))
      override def seek(position: Long): Unit = stream.seek(position)
      override def getPos: Long = stream.getPos
      override def seekToNewSource(target: Long): Boolean = false
      override def close(): Unit = stream.close()
    })
  }

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
      openOutputs.incrementAndGet()
      val stream = if (isAbortable.get) new Output(disk) with Upload else new Output(disk)
      new FSDataOutputStream(stream, null)
    }
  }
}

object FaultyFileSystem {
  final val Scheme = "faulty"

  /** The setting of a session's configuration that makes Hadoop use this file system. */
  val setting: (String, String) =
    s"spark.hadoop.fs.$Scheme.impl" -> classOf[FaultyFileSystem].getName

  /** Returns the URI of a path of the local disk in this file system. */
  def uri(path: String): String = s"$Scheme://$path"

  /** The maximum number of bytes of one read. */
  final val AtOnce = 100

  /** Selects the files that cannot be opened. */
  @volatile var refuses: Path => Boolean = (_: Path) => false

  /** Whether opening a file reports a cancelled query, as some stores do. */
  @volatile var isCancelled = false

  /** The maximum number of bytes of a data file. */
  val maxBytes = new AtomicLong(Long.MaxValue)

  /** The next closes of data files that fail. */
  val failuresToClose = new AtomicInteger

  /** Whether streams can be aborted, as those of object stores. */
  val isAbortable = new AtomicBoolean

  /** Streams that write data files, neither closed nor aborted. */
  val openOutputs = new AtomicInteger

  /** Aborted streams. */
  val aborted = new AtomicInteger

  private class Output(disk: OutputStream) extends OutputStream {
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
      openOutputs.decrementAndGet()
      disk.close()
      if (failuresToClose.getAndDecrement() > 0)
        throw new IOException("the store did not take the file")
    }
  }

  private trait Upload extends Abortable { this: Output =>
    override def abort(): Abortable.AbortableResult = {
      close()
      aborted.incrementAndGet()
      null
    }
  }
}
