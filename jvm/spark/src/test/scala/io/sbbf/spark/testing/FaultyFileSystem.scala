package io.sbbf.spark.testing

import java.io.InterruptedIOException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException

/**
 * Local files under the scheme `trickle`, whose streams return a few bytes at a time. Streams of
 * object stores, and of HDFS at the end of a packet, do the same. Some files cannot be opened.
 */
final class TricklingFileSystem extends RawLocalFileSystem {
  import TricklingFileSystem._

  override def getUri: URI = URI.create(s"$Scheme:///")
  override def getScheme: String = Scheme
  override def initialize(uri: URI, conf: Configuration): Unit = super.initialize(getUri, conf)

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
}

object TricklingFileSystem {
  final val Scheme = "trickle"

  /** The maximum number of bytes of one read. */
  final val AtOnce = 100

  /** Selects the files that cannot be opened. */
  @volatile var refuses: Path => Boolean = (_: Path) => false

  /** Whether opening a file reports a cancelled query, as some stores do. */
  @volatile var isCancelled = false
}
