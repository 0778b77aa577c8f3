package io.sbbf.index.search

import java.io.IOException
import java.util.LinkedHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.core.predicate.{KeyFunction, KeyedColumn}
import io.sbbf.index.format.{IndexPlace, IndexedColumn, SegmentManifest}
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.model.Interruption
import io.sbbf.parquet.pass.PruningWarnings

/**
 * Keeps the segments of the tables that queries read last. It lists the folder of an index at most
 * every 30 seconds, whether there is one or not, and opens segments when they are searched.
 * Thread-safe.
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
   * @param usable returns for each search whether the scan reads files as a segment's builder did
   */
  def index(
      places: IndexedSeq[FileStatus] => Seq[IndexPlace],
      conf: Configuration,
      warnings: PruningWarnings,
      usable: () => SegmentManifest => Boolean = () => IndexCache.OfParquet): RowGroupIndex =
    new IndexSearch(
      files => {
        val isUsable = usable()
        places(files).flatMap(segments(_, conf, warnings)).filter(s => isUsable(s.manifest))
      },
      conf,
      warnings)

  /** Forgets what is known about an index, because it has changed. */
  def forget(index: Path): Unit = synchronized {
    tables.remove(index)
    ()
  }

  /**
   * Returns the functions of columns whose keys an index has. Reads only the manifests of its
   * segments.
   */
  def functions(
      place: IndexPlace,
      conf: Configuration,
      warnings: PruningWarnings,
      isUsable: SegmentManifest => Boolean = IndexCache.OfParquet): Seq[KeyFunction] =
    manifests(place, conf, warnings).filter(isUsable).flatMap(functionsOf).distinct

  /** Returns the manifests of the segments of a place, newest first. */
  def manifests(
      place: IndexPlace,
      conf: Configuration,
      warnings: PruningWarnings): Seq[SegmentManifest] = {
    val known = table(place)
    known.synchronized {
      list(known, place, conf, warnings)
      known.manifests
    }
  }

  private def table(place: IndexPlace): Table = synchronized {
    Option(tables.get(place.index)).getOrElse {
      val fresh = new Table
      tables.put(place.index, fresh)
      while (tables.size > MostTables) tables.remove(tables.keySet.iterator.next())
      fresh
    }
  }

  /** Returns the segments of a place, newest first, and opens those that are not open yet. */
  private def segments(
      place: IndexPlace,
      conf: Configuration,
      warnings: PruningWarnings): Seq[Segment] = {
    val known = table(place)
    known.synchronized {
      list(known, place, conf, warnings)
      if (!known.areOpen) {
        val before = known.segments
        known.segments = known.manifests.flatMap { manifest =>
          before
            .find(_.manifest == manifest)
            .orElse(attempt(manifest.id, warnings)(Some(Segment.open(manifest, place, conf))))
        }
        known.areOpen = true
      }
      known.segments
    }
  }

  /** Lists the segments of a place, if they were not listed lately. */
  private def list(
      known: Table,
      place: IndexPlace,
      conf: Configuration,
      warnings: PruningWarnings): Unit =
    if (known.listedAt + ListedMillis <= millis()) {
      known.show(
        try listed(place, known.manifests, conf, warnings)
        catch {
          case e: IOException if !Interruption.is(e) =>
            warnings.once(
              s"index: ${place.index}",
              s"cannot list the index ${place.index}, so lookups use only what they know of it",
              e)
            known.manifests // segments never change
        })
      known.listedAt = millis()
    }

  /** Returns the manifests of the segments of a place, newest first. */
  private def listed(
      place: IndexPlace,
      before: Seq[SegmentManifest],
      conf: Configuration,
      warnings: PruningWarnings): Seq[SegmentManifest] = {
    val folder = place.folder(conf)
    val ids = folder.segments(isExpected = before.nonEmpty).map(_.getPath.getName)
    def manifest(id: String) =
      before.find(_.id == id).orElse(folder.manifest(id)) // never changes
    SegmentManifest.current(ids.flatMap(id => attempt(id, warnings)(manifest(id))))
  }

  private def attempt[T](id: String, warnings: PruningWarnings)(action: => Option[T]): Option[T] =
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
}

private[sbbf] object IndexCache {

  /** The driver's cache. */
  val shared: IndexCache = new IndexCache

  /** Returns whether a segment is of Parquet files, whose bytes alone decide on their values. */
  private val OfParquet: SegmentManifest => Boolean = _.readAs.isEmpty

  private def functionsOf(manifest: SegmentManifest): Seq[KeyFunction] =
    manifest.columns
      .filter(_.kind == IndexedColumn.Keys)
      .flatMap(column => KeyedColumn.parse(column.name).toOption.flatMap(_.function))

  private final val ListedMillis = 30000L
  private final val MostTables = 256

  private final class Table {
    var listedAt: Long = -ListedMillis
    var manifests: Seq[SegmentManifest] = Nil

    /** The segments of the manifests, once they are open. */
    var segments: Seq[Segment] = Nil
    var areOpen: Boolean = true

    def show(found: Seq[SegmentManifest]): Unit = {
      manifests = found
      areOpen = false
    }
  }
}
