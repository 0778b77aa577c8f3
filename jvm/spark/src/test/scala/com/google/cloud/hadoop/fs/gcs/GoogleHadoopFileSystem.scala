package com.google.cloud.hadoop.fs.gcs

import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FSDataOutputStream, Path}
import org.apache.hadoop.util.Progressable

import io.sbbf.spark.testing.DiskAs

/** The local disk by the name of a store that puts files at once, and whose streams cannot be given up. */
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

  /** Files that were begun. */
  val begun = new AtomicInteger
}
