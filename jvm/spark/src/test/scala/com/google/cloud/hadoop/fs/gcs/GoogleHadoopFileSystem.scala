package com.google.cloud.hadoop.fs.gcs

import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FSDataOutputStream, Path}
import org.apache.hadoop.util.Progressable

import io.sbbf.spark.testing.DiskAs

/**
 * The local disk under the class name of a store with atomic PUT, whose streams cannot be aborted.
 */
final class GoogleHadoopFileSystem extends DiskAs("gs") {
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

  /** The number of files whose writing has started. */
  val begun = new AtomicInteger
}
