package io.sbbf.spark.plan

import org.apache.hadoop.fs.FileStatus

/** One version of one file, as a listing saw it; `modificationTime` in milliseconds since 1970. */
private[spark] final case class FileVersion(path: String, length: Long, modificationTime: Long)

private[spark] object FileVersion {
  def of(file: FileStatus): FileVersion =
    FileVersion(file.getPath.toString, file.getLen, file.getModificationTime)
}
