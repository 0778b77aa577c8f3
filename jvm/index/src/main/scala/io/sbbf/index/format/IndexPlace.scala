package io.sbbf.index.format

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.core.bloom.XxHash64

/**
 * The folders of a table and of its index. Both are qualified.
 *
 * @param table the table's folder, to which the index names files
 */
private[sbbf] final case class IndexPlace(table: Path, index: Path) {
  private val prefix = s"$table/"

  /** Returns a file's path as the index names it: below the table's folder, or else whole. */
  def nameOf(file: Path): String = file.toString.stripPrefix(prefix)

  def folder(conf: Configuration): IndexFolder = new IndexFolder(index, conf)
}

private[sbbf] object IndexPlace {

  /**
   * Returns the place of the index of the table in a folder.
   *
   * @param elsewhere the folder for the indexes of all tables, empty for the table's own folder
   * @throws java.io.IOException if the store is unknown
   */
  def of(folder: Path, elsewhere: String, conf: Configuration): IndexPlace = {
    val table = folder.getFileSystem(conf).makeQualified(folder)
    if (elsewhere.isEmpty) IndexPlace(table, new Path(table, IndexFolder.Name))
    else {
      val hash = XxHash64.hashBytes(table.toString.getBytes("UTF-8"))
      val own = new Path(elsewhere, f"${table.getName}-$hash%016x")
      IndexPlace(table, own.getFileSystem(conf).makeQualified(own))
    }
  }

  /**
   * Returns the folder of the table that a folder of Parquet files belongs to: partitions
   * (`column=value`) are below it.
   */
  def tableOf(folder: Path): Path =
    if (folder.getName.contains("=") && folder.getParent != null) tableOf(folder.getParent)
    else folder
}
