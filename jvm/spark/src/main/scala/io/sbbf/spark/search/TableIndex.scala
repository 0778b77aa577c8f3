package io.sbbf.spark.search

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.index.format.IndexPlace
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.spark.util.{LogOnce, SbbfConf}

/** Finds the index of the tables that a scan reads. */
private[spark] object TableIndex {

  /** A scan of more tables does not search their indexes. */
  private final val MostPlaces = 4

  /** Returns the place of the index of the table in a folder. */
  def placeOf(folder: Path, hadoopConf: Configuration, conf: SQLConf): IndexPlace =
    IndexPlace.of(folder, SbbfConf.IndexPath.get(conf), hadoopConf)

  /** Returns the index that a scan of a Delta or Iceberg table searches. */
  def ofLake(folder: Path, hadoopConf: => Configuration, conf: SQLConf): RowGroupIndex =
    if (!SbbfConf.Index.get(conf)) RowGroupIndex.Empty
    else {
      val ofSearch = hadoopConf
      searching(_ => Seq(folder), ofSearch, conf)
    }

  /**
   * Returns the index that a scan of Parquet files searches.
   *
   * @param roots the folders and files that the scan lists
   */
  def of(roots: Seq[Path], hadoopConf: Configuration, conf: SQLConf): RowGroupIndex =
    if (SbbfConf.Index.get(conf)) searching(tables(roots, _), hadoopConf, conf)
    else RowGroupIndex.Empty

  /**
   * Returns the functions of columns whose keys the index of a scan has; none for a scan of files
   * that are named one by one.
   *
   * @param roots the folders and files that the scan lists
   */
  def functions(
      roots: Seq[Path],
      hadoopConf: => Configuration,
      conf: SQLConf): Seq[KeyFunction] = {
    val folders = roots.map(IndexPlace.tableOf).distinct
    val areFiles = roots.exists(_.getName.toLowerCase(Locale.ROOT).endsWith(".parquet"))
    if (!SbbfConf.Index.get(conf) || areFiles || folders.size > MostPlaces) Nil
    else {
      val ofSearch = hadoopConf
      folders.flatMap { folder =>
        IndexCache.shared.functions(placeOf(folder, ofSearch, conf), ofSearch, LogOnce)
      }.distinct
    }
  }

  private def searching(
      tables: IndexedSeq[FileStatus] => Seq[Path],
      hadoopConf: Configuration,
      conf: SQLConf): RowGroupIndex =
    IndexCache.shared.index(
      files =>
        Some(tables(files))
          .filter(_.size <= MostPlaces)
          .toSeq
          .flatten
          .map(placeOf(_, hadoopConf, conf)),
      hadoopConf,
      LogOnce)

  /** Returns the folders of the tables, of which a root may be a partition or a file. */
  private def tables(roots: Seq[Path], files: IndexedSeq[FileStatus]): Seq[Path] = {
    val folders =
      if (files.size > roots.size) roots
      else {
        val listed = files.iterator.map(_.getPath).toSet
        roots.map(root => if (listed(root)) root.getParent else root)
      }
    folders.map(IndexPlace.tableOf).distinct
  }
}
