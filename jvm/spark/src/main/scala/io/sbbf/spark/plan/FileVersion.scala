package io.sbbf.spark.plan

import org.apache.hadoop.fs.{FileStatus, Path}

/** One version of one file, as a listing saw it; `modificationTime` in milliseconds since 1970. */
private[spark] final case class FileVersion(path: Path, length: Long, modificationTime: Long)

private[spark] object FileVersion {
  def of(file: FileStatus): FileVersion =
    FileVersion(file.getPath, file.getLen, file.getModificationTime)
}
