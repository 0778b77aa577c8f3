package io.sbbf.parquet.model

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}

/**
 * One version of one file, as a listing reported it.
 *
 * @param modificationTime milliseconds since 1970
 * @param etag the ETag, of stores that report one in listings
 */
private[sbbf] final case class FileVersion(
    path: Path,
    length: Long,
    modificationTime: Long,
    etag: Option[String] = None) {

  /**
   * Returns whether a listing and a status of the file itself report the same version. If both
   * have an ETag, the ETags decide, because some stores report milliseconds in listings and whole
   * seconds elsewhere.
   */
  def isSameAs(other: FileVersion): Boolean =
    path == other.path && length == other.length && {
      if (etag.isDefined && other.etag.isDefined) etag == other.etag
      else modificationTime == other.modificationTime
    }
}

private[sbbf] object FileVersion {

  /**
   * The coarsest resolution at which file systems report modification times. A file that was read
   * sooner after its modification may have changed again since, and still have the same time.
   */
  final val SettlingMillis = 2000L

  def of(file: FileStatus): FileVersion =
    FileVersion(file.getPath, file.getLen, file.getModificationTime, etagOf(file))

  /** Returns whether two listings have the same versions of the same files, in the same order. */
  def areSame(a: IndexedSeq[FileStatus], b: IndexedSeq[FileStatus]): Boolean =
    (a eq b) || a.size == b.size && a.indices.forall { i =>
      (a(i) eq b(i)) || (a(i).getLen == b(i).getLen && of(a(i)) == of(b(i)))
    }

  private def etagOf(file: FileStatus): Option[String] = file match {
    case source: EtagSource => Option(source.getEtag)
    case _ => None
  }
}
