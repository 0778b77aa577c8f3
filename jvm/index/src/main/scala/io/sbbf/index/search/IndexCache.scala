package io.sbbf.index.search

import java.io.IOException
import java.util.LinkedHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.format.{IndexPlace, SegmentManifest}
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.model.Interruption
import io.sbbf.parquet.pass.PruningWarnings

/**
 * Keeps the segments of the tables that queries read last. It lists the folder of an index at most
 * every 30 seconds, whether there is one or not. Thread-safe.
 *
 * @param millis returns the time in milliseconds
 */
private[sbbf] final class IndexCache(millis: () => Long = () => System.currentTimeMillis) {
  import IndexCache._

  private val tables = new LinkedHashMap[Path, Table](16, 0.75f, true)

  /**
   * Returns the index that a scan searches.
   *
   * @param places returns the places of the tables of a listing
   */
  def index(
      places: IndexedSeq[FileStatus] => Seq[IndexPlace],
      conf: Configuration,
      warnings: PruningWarnings): RowGroupIndex =
    new IndexSearch(files => places(files).flatMap(segments(_, conf, warnings)), conf, warnings)

  /** Forgets what is known about an index, because it has changed. */
  def forget(index: Path): Unit = synchronized {
    tables.remove(index)
    ()
  }

  private def segments(
      place: IndexPlace,
      conf: Configuration,
      warnings: PruningWarnings): Seq[Segment] = {
    val known = synchronized {
      Option(tables.get(place.index)).getOrElse {
        val fresh = new Table
        tables.put(place.index, fresh)
        while (tables.size > MostTables) tables.remove(tables.keySet.iterator.next())
        fresh
      }
    }
    known.synchronized {
      if (known.listedAt + ListedMillis <= millis()) {
        known.segments =
          try listed(place, known.segments, conf, warnings)
          catch {
            case e: IOException if !Interruption.is(e) =>
              warnings.once(
                s"index: ${place.index}",
                s"cannot list the index ${place.index}, so lookups do not use it",
                e)
              Nil
          }
        known.listedAt = millis()
      }
      known.segments
    }
  }

  /** Returns the segments of a place, newest first, and opens those that are not open yet. */
  private def listed(
      place: IndexPlace,
      before: Seq[Segment],
      conf: Configuration,
      warnings: PruningWarnings): Seq[Segment] = {
    val folder = place.folder(conf)
    def attempt[T](id: String)(action: => Option[T]): Option[T] =
      try action
      catch {
        case e: IOException if !Interruption.is(e) =>
          warnings.once(
            s"index: $id",
            s"lookups do not use an index, because it cannot be opened (${e.getMessage}): " +
              "refresh_index builds it again",
            e)
          None
      }
    def open(manifest: SegmentManifest): Segment =
      before.find(_.manifest == manifest).getOrElse(Segment.open(manifest, place, conf))
    val ids = folder.segments(isExpected = before.nonEmpty).map(_.getPath.getName)
    def manifest(id: String) = // which never changes
      before.find(_.manifest.id == id).map(_.manifest).orElse(folder.manifest(id))
    val manifests = ids.flatMap(id => attempt(id)(manifest(id)))
    SegmentManifest.current(manifests).flatMap(m => attempt(m.id)(Some(open(m))))
  }
}

private[sbbf] object IndexCache {

  /** The driver's cache. */
  val shared: IndexCache = new IndexCache

  private final val ListedMillis = 30000L
  private final val MostTables = 256

  private final class Table {
    var listedAt: Long = -ListedMillis
    var segments: Seq[Segment] = Nil
  }
}
