package io.sbbf.spark.search

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.index.format.IndexPlace
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/** Finds the index of the tables that a scan reads. */
private[spark] object TableIndex {

  /** A scan of more tables does not search their indexes. */
  private final val MostPlaces = 4

  /** Returns the place of the index for the files in a folder. */
  def placeOf(folder: Path, hadoopConf: Configuration, conf: SQLConf): IndexPlace =
    IndexPlace.of(folder, SbbfConf.IndexPath.get(conf), hadoopConf)

  /**
   * Returns the index that a scan searches.
   *
   * @param roots the folders and files that the scan lists
   */
  def of(roots: Seq[Path], hadoopConf: Configuration, conf: SQLConf): RowGroupIndex =
    if (!SbbfConf.Index.get(conf)) RowGroupIndex.Empty
    else {
      lazy val found = roots.map(placeOf(_, hadoopConf, conf)).distinct
      def places(files: IndexedSeq[FileStatus]): Seq[IndexPlace] =
        if (files.size > roots.size) found
        else roots.map(r => placeOf(folderOf(r, files), hadoopConf, conf)).distinct
      IndexCache.shared.index(
        files => Some(places(files)).filter(_.size <= MostPlaces).getOrElse(Nil),
        hadoopConf,
        LogOnce)
    }

  /** A root may be one of the files. */
  private def folderOf(root: Path, files: IndexedSeq[FileStatus]): Path =
    if (files.exists(_.getPath == root)) root.getParent else root
}
