package io.sbbf.spark.search

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.index.format.{IndexPlace, SegmentManifest}
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
   * Returns the index that a scan of files searches.
   *
   * @param roots the folders and files that the scan lists
   * @param readAs how the scan reads the files; None for Parquet files; see [[SegmentManifest]]
   */
  def of(
      roots: Seq[Path],
      hadoopConf: Configuration,
      conf: SQLConf,
      readAs: Option[() => String] = None): RowGroupIndex =
    if (SbbfConf.Index.get(conf)) searching(tables(roots, _), hadoopConf, conf, readAs)
    else RowGroupIndex.Empty

  /**
   * Returns the functions of columns whose keys the index of a scan has; none for a scan of files
   * that are named one by one.
   *
   * @param roots the folders and files that the scan lists
   * @param readAs as for [[of]]
   */
  def functions(
      roots: Seq[Path],
      hadoopConf: => Configuration,
      conf: SQLConf,
      readAs: Option[() => String] = None): Seq[KeyFunction] = {
    val areFiles = roots.exists(_.getName.toLowerCase(Locale.ROOT).endsWith(".parquet"))
    if (areFiles) Nil
    else
      inManifests(roots, hadoopConf, conf) { (place, ofSearch) =>
        IndexCache.shared.functions(place, ofSearch, LogOnce, usableFor(readAs))
      }.distinct
  }

  /**
   * Returns whether the index of a scan has a segment that the scan may use.
   *
   * @param readAs as for [[of]]
   */
  def exists(
      roots: Seq[Path],
      hadoopConf: => Configuration,
      conf: SQLConf,
      readAs: Option[() => String]): Boolean =
    inManifests(roots, hadoopConf, conf) { (place, ofSearch) =>
      IndexCache.shared.manifests(place, ofSearch, LogOnce).filter(usableFor(readAs))
    }.nonEmpty

  private def inManifests[T](roots: Seq[Path], hadoopConf: => Configuration, conf: SQLConf)(
      find: (IndexPlace, Configuration) => Seq[T]): Seq[T] = {
    val folders = roots.map(IndexPlace.tableOf).distinct
    if (!SbbfConf.Index.get(conf) || folders.size > MostPlaces) Nil
    else {
      val ofSearch = hadoopConf
      folders.flatMap(folder => find(placeOf(folder, ofSearch, conf), ofSearch))
    }
  }

  private def usableFor(readAs: Option[() => String]): SegmentManifest => Boolean =
    readAs match {
      case None => _.readAs.isEmpty
      case Some(read) =>
        lazy val own = read()
        _.readAs.exists(_ == own)
    }

  private def searching(
      tables: IndexedSeq[FileStatus] => Seq[Path],
      hadoopConf: Configuration,
      conf: SQLConf,
      readAs: Option[() => String] = None): RowGroupIndex =
    IndexCache.shared.index(
      files =>
        Some(tables(files))
          .filter(_.size <= MostPlaces)
          .toSeq
          .flatten
          .map(placeOf(_, hadoopConf, conf)),
      hadoopConf,
      LogOnce,
      () => usableFor(readAs))

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
