package io.sbbf.spark.table

import org.apache.hadoop.fs.{EtagSource, FileStatus}

import io.sbbf.parquet.model.FileVersion

/** The status of a file with what identifies its version, for tasks. */
private[table] final class ListedStatus(version: FileVersion)
    extends FileStatus(version.length, false, 1, 0, version.modificationTime, version.path)
    with EtagSource {
  override def getEtag: String = version.etag.orNull
}
