package com.google.cloud.hadoop.fs.gcs

import java.net.URI
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

/** The local disk by the name of a store that puts files at once, and whose streams cannot be given up. */
final class GoogleHadoopFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("gs:///")
  override def getScheme: String = "gs"
  override def initialize(name: URI, conf: Configuration): Unit =
    super.initialize(URI.create("gs:///"), conf)

  override def create(
      file: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    GoogleHadoopFileSystem.begun.incrementAndGet()
    super.create(file, overwrite, bufferSize, replication, blockSize, progress)
  }
}

object GoogleHadoopFileSystem {

  /** Files that were begun. */
  val begun = new AtomicInteger
}
