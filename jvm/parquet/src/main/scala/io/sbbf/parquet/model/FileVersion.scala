package io.sbbf.parquet.model

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}

/**
 * One version of one file, as a listing saw it.
 *
 * @param modificationTime in milliseconds since 1970
 * @param etag of stores that have one and tell it in listings
 */
private[sbbf] final case class FileVersion(
    path: Path,
    length: Long,
    modificationTime: Long,
    etag: Option[String] = None) {

  /**
   * Whether a listing and a look at the file itself saw the same: etags decide where both tell one, as
   * some stores tell milliseconds in listings and else whole seconds.
   */
  def isSameAs(other: FileVersion): Boolean =
    path == other.path && length == other.length && {
      if (etag.isDefined && other.etag.isDefined) etag == other.etag
      else modificationTime == other.modificationTime
    }
}

private[sbbf] object FileVersion {
  def of(file: FileStatus): FileVersion =
    FileVersion(file.getPath, file.getLen, file.getModificationTime, etagOf(file))

  private def etagOf(file: FileStatus): Option[String] = file match {
    case source: EtagSource => Option(source.getEtag)
    case _ => None
  }
}
