package io.sbbf.spark.write

import java.io.{IOException, OutputStream}
import java.net.URI
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

/** `brittle:` is the local disk with room for so many bytes of data files, which may fail to close. */
final class BrittleFileSystem extends RawLocalFileSystem {
  import BrittleFileSystem._

  override def getUri: URI = URI.create("brittle:///")
  override def getScheme: String = "brittle"
  override def initialize(name: URI, conf: Configuration): Unit =
    super.initialize(URI.create("brittle:///"), conf)

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
    else
      new FSDataOutputStream(
        new OutputStream {
          override def write(byte: Int): Unit = {
            take(1)
            stock.write(byte)
          }
          override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
            take(length)
            stock.write(bytes, from, length)
          }
          override def close(): Unit = {
            stock.close()
            if (failsToClose.get) throw new IOException("the store did not take the file")
          }
        },
        null
      )
  }
}

object BrittleFileSystem {
  val room = new AtomicLong(Long.MaxValue)
  val failsToClose = new AtomicBoolean

  private def take(bytes: Int): Unit =
    if (room.addAndGet(-bytes) < 0) throw new IOException("No space left on device")
}
