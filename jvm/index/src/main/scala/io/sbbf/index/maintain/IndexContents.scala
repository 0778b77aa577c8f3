package io.sbbf.index.maintain

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.index.format.IndexedColumn.{Bloom, Keys}
import io.sbbf.index.format._
import io.sbbf.index.search.Segment
import io.sbbf.parquet.model.Interruption

/**
 * What an index holds now, for its maintenance.
 *
 * @param segments the segments that lookups search, newest first
 * @param replaced the complete segments that others replace
 * @param damaged the segments that lookups would search, but cannot use
 * @param incomplete the folders of segments without a manifest
 */
private[sbbf] final class IndexContents private (
    folder: IndexFolder,
    segments: Seq[Segment],
    replaced: Seq[SegmentManifest],
    private[sbbf] val damaged: Seq[SegmentManifest],
    incomplete: Seq[FileStatus]) {
  import IndexContents._

  /** Whether there is no indexed column. */
  def isEmpty: Boolean = all.isEmpty

  /** The names of all columns with keys. */
  def columns: Seq[String] = all.filter(_.kind == Keys).map(_.name).distinct

  /** The columns with filters of their zones, each with the rule of its newest segment. */
  def zoneColumns: Seq[(String, StoredZones.Rule)] =
    all.filter(_.kind == Bloom).map(_.name).distinct.map { name =>
      name -> all.find(c => c.name == name && c.kind == Bloom).get.zones.get.rule
    }

  /** The indexed columns of all segments, those of the newest first. */
  private def all: Seq[IndexedColumn] =
    (segments.map(_.manifest) ++ damaged).sortBy(-_.createdAt).flatMap(_.columns)

  /** The size of all segments in bytes. */
  def bytes: Long = segments.map(_.manifest.bytes).sum

  /**
   * Plans a segment of the files that no segment knows, in this version and with all of the columns.
   * It replaces segments that lookups cannot use, if they have no other columns.
   *
   * @param kind the kind of the columns' index
   */
  def extension(files: Seq[FileStatus], wanted: Seq[String], kind: String = Keys): RefreshPlan =
    RefreshPlan(
      files.filterNot(file =>
        wanted.forall(name => of(name, kind).exists(_.files.numberOf(file) >= 0))),
      toMerge = IndexedSeq.empty,
      superfluous(wanted, kind))

  /**
   * Plans a segment like [[extension]], which also merges others if lookups search many segments, or
   * segments with many files that are no longer there.
   *
   * @throws java.io.IOException if the store cannot be reached
   */
  def refresh(files: Seq[FileStatus], wanted: Seq[String], conf: Configuration): RefreshPlan =
    if (!isFragmented(files)) extension(files, wanted)
    else new MergePlan(withKeys, files, wanted, folder, conf).result(superfluous(wanted, Keys))

  private def withKeys: Seq[Segment] = segments.filter(_.kind == Keys)

  /** Replaced segments are named again, because those that replace them may be deleted before them. */
  private def superfluous(wanted: Seq[String], kind: String): Seq[String] = {
    def isWanted(column: IndexedColumn) = wanted.contains(column.name) && column.kind == kind
    (damaged.filter(_.columns.forall(isWanted)) ++ replaced).map(_.id)
  }

  /** Returns the number of pairs of a key and a row group of a column. */
  def entriesOf(column: String): Long =
    of(column, Keys).flatMap(_.manifest.columns.filter(_.name == column)).map(_.entries).sum

  private def of(column: String, kind: String): Seq[Segment] =
    segments.filter(s => s.kind == kind && s.numberOf(column).isDefined)

  private[maintain] def isFragmented(files: Seq[FileStatus]): Boolean =
    withKeys.size >= MostSegments ||
      withKeys.map(_.deadFiles(files)).sum > withKeys.map(_.files.size).sum * MostDead

  /**
   * Returns what is held of each column.
   *
   * @param files the files of the table
   */
  def info(files: Seq[FileStatus]): Seq[ColumnInfo] =
    for ((name, kind) <- all.map(c => (c.name, c.kind)).distinct; some = of(name, kind)
      if some.nonEmpty) yield {
      val held = some.flatMap(_.manifest.columns.filter(_.name == name))
      ColumnInfo(
        name,
        kind,
        some.size,
        files.count(file => some.exists(hasKeys(_, name, file))),
        held.flatMap(_.parts).map(_.keys).sum,
        held.map(_.entries).sum,
        held.map(_.bytes).sum,
        some.map(_.manifest.createdAt).max
      )
    }

  private def hasKeys(segment: Segment, column: String, file: FileStatus): Boolean = {
    val number = segment.files.numberOf(file)
    number >= 0 &&
    segment.files.hasKeys(number, segment.manifest.columns.indexWhere(_.name == column))
  }

  /**
   * Deletes segments that were replaced more than an hour ago, which running queries no longer
   * search, and incomplete ones that are older than a day, whose builders have died.
   *
   * @param now milliseconds since 1970
   */
  def sweep(now: Long): Unit = {
    val old = segments
      .filter(_.manifest.createdAt < now - ReplacedMillis)
      .flatMap(_.manifest.replaces)
      .toSet
    val dead = incomplete
      .filter(_.getModificationTime > 0) // some stores know no time of a folder
      .filter(_.getModificationTime < now - IncompleteMillis)
    replaced.map(_.id).filter(old).foreach(folder.delete)
    dead.foreach(status => folder.delete(status.getPath.getName))
  }
}

private[sbbf] object IndexContents {
  private final val MostSegments = 8
  private final val MostDead = 0.3

  /** Returns whether most files of a segment are still among those of the table. */
  private[maintain] def isAlive(segment: Segment, files: Seq[FileStatus]): Boolean =
    segment.deadFiles(files) <= segment.files.size * MostDead

  private final val ReplacedMillis = 3600L * 1000
  private final val IncompleteMillis = 24 * ReplacedMillis

  /**
   * Reads what an index holds for one way to read its files. A segment that cannot be used counts as
   * missing, and is left alone.
   *
   * @param readAs how the files are read; see [[SegmentManifest]]. Segments of another way are left
   *   alone.
   * @throws java.io.IOException if the store cannot be reached
   */
  def read(
      place: IndexPlace,
      conf: Configuration,
      readAs: Option[String] = None): IndexContents = {
    val folder = place.folder(conf)
    def usable[T](action: => T): Option[T] =
      try Some(action)
      catch { case e: IOException if !Interruption.is(e) => None }
    val found = folder.segments().map(s => s -> usable(folder.manifest(s.getPath.getName)))
    val manifests = found.collect {
      case (_, Some(Some(manifest))) if manifest.readAs == readAs => manifest
    }
    val current = SegmentManifest.current(manifests)
    val opened = current.map(m => m -> usable(Segment.openWhole(m, place, conf)))
    new IndexContents(
      folder,
      opened.flatMap(_._2),
      manifests.diff(current),
      opened.collect { case (manifest, None) => manifest },
      found.collect { case (status, Some(None)) => status })
  }
}

/**
 * What an index holds of a column.
 *
 * @param kind the kind of its index
 * @param segments the number of segments that a lookup searches
 * @param files the number of the table's files whose keys or zones the index has
 * @param keys the number of distinct keys, added up over the segments
 * @param entries the number of pairs of a key and a row group, or of zones
 * @param newest when the newest segment was created, in milliseconds since 1970
 */
private[sbbf] final case class ColumnInfo(
    column: String,
    kind: String,
    segments: Int,
    files: Int,
    keys: Long,
    entries: Long,
    bytes: Long,
    newest: Long)
