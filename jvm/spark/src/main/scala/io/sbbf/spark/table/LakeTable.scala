package io.sbbf.spark.table

import org.apache.hadoop.fs.FileStatus

/**
 * A table of a format that keeps a list of its files, as queries of the session read it. Its one
 * root is its folder.
 *
 * @param name the name by which it was found
 */
private[spark] abstract class LakeTable(val name: String, val format: LakeFormat)
    extends NamedFiles {

  final override def files: Seq[FileStatus] = snapshotFiles.sortBy(_.getPath.toString)

  /** Returns the files of the snapshot, in any order. */
  protected def snapshotFiles: IndexedSeq[FileStatus]

  final override def lakeFormat: Option[LakeFormat] = Some(format)

  final override def keys(columns: Seq[String]): KeyOpener = KeyOpener.Parquet
}
