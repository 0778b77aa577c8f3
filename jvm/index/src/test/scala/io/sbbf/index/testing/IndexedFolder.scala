package io.sbbf.index.testing

import java.io.File
import java.nio.file.{Path => JPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.example.data.Group

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.pass.{PlanningLimits, PruningWarnings}
import io.sbbf.parquet.prune.{FooterCache, ListingPruner, ParquetEvaluators}
import io.sbbf.parquet.result.PrunedFiles
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style

/**
 * A folder of Parquet files that were modified long ago, and lookups that search its index as
 * planning does.
 *
 * @param clock the time of the cache of indexes, in milliseconds
 */
abstract class IndexedFolder(clock: () => Long = () => System.currentTimeMillis) {
  protected val conf = new Configuration(false)
  private val folder: JPath = TestFiles.folder()
  private val path = new Path(folder.toUri.toString.stripSuffix("/"))

  val index = new LocalIndex(path, conf)
  val cache = new IndexCache(clock)
  private var files = Vector.empty[FileStatus]

  def all: IndexedSeq[FileStatus] = files

  protected def write(schema: String, style: Style, rows: Iterator[Group => Unit]): FileStatus = {
    val file = folder.resolve(s"part-${files.size}.parquet")
    TestFiles.write(schema, style, rows, file)
    file.toFile.setLastModified(1000L + files.size * 1000L)
    files :+= IndexedFolder.status(file.toFile)
    files.last
  }

  def prune(
      predicate: RowGroupPredicate,
      listed: IndexedSeq[FileStatus] = files,
      caseSensitive: Boolean = true): PrunedFiles =
    new ListingPruner(
      cache.index(_ => Seq(index.place), conf, IndexedFolder.NoWarnings),
      Some(
        new ParquetEvaluators(
          conf,
          FileStore.hadoop(conf),
          new FooterCache,
          IndexedFolder.NoWarnings)),
      PlanningLimits(threads = 2, sampleFiles = 0, cacheBytes = 0),
      IndexedFolder.NoWarnings
    ).prune(listed, predicate, ColumnLookup(caseSensitive))
}

object IndexedFolder {
  object NoWarnings extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }

  def status(file: File): FileStatus =
    new FileStatus(file.length, false, 1, 1L << 20, file.lastModified, new Path(file.toURI))

  /** Returns the row groups kept in each file. */
  def kept(pruned: PrunedFiles): Seq[Int] = pruned.outcomes.map(_.kept)
}
