package io.sbbf.index.search

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.format._
import io.sbbf.index.zones.ZoneColumn
import io.sbbf.parquet.model.FileVersion

/**
 * An open segment of an index. The files of its columns are opened when they are first searched.
 * Thread-safe.
 *
 * @param folder the segment's folder
 */
private[index] final class Segment private (
    val manifest: SegmentManifest,
    folder: Path,
    val files: SegmentFiles) {
  import Segment._

  private val parts = new ConcurrentHashMap[String, KeyPart]
  private val zones = new ConcurrentHashMap[String, ZoneColumn]
  @volatile private var latest = List.empty[SoftReference[Listing]]

  /** Returns what it knows about the files of a listing. Remembers the latest ones. */
  def listing(listed: IndexedSeq[FileStatus]): Listing =
    latest
      .flatMap(known => Option(known.get))
      .find(known => FileVersion.areSame(listed, known.files))
      .getOrElse {
        val found = Listing.of(listed, files)
        latest = (new SoftReference(found) :: latest).take(MostListings)
        found
      }

  /** Returns the number of a column. */
  def numberOf(column: String): Option[Int] =
    Some(manifest.columns.indexWhere(_.name == column)).filter(_ >= 0)

  /** The kind of the index of its columns. */
  def kind: String = manifest.columns.headOption.fold(IndexedColumn.Keys)(_.kind)

  /** Returns the number of its files that are not among those of the table. */
  def deadFiles(table: Seq[FileStatus]): Int = files.size - table.count(files.numberOf(_) >= 0)

  /**
   * Estimates the bytes that [[find]] reads, or a cost that is as high.
   *
   * @param hashes the number of hashes
   */
  def bytesToRead(column: IndexedColumn, hashes: Int): Double =
    column.zones.fold {
      val (all, keys) = (column.parts.map(_.bytes).sum, column.parts.map(_.keys).sum)
      math.min(all.toDouble, hashes.toDouble * KeyPartWriter.MostKeys * all / math.max(1L, keys))
    }(ZoneColumn.cost(_, hashes))

  /**
   * Passes the row groups that hold a value with one of the hashes to `use`, some more than once;
   * [[KeyPartWriter.Everywhere]] stands for all. Filters of zones also find some others.
   *
   * @throws java.io.IOException if a file of the column cannot be read
   */
  def find(column: IndexedColumn, hashes: Array[Long], conf: Configuration, reads: ReadCounter)(
      use: Int => Unit): Unit = column.zones match {
    case Some(stored) => open(stored, conf).find(hashes, conf, reads.count)(use)
    case None => findKeys(column, hashes, conf, reads)(use)
  }

  /**
   * Passes the row groups that might hold NULL in a column with zones to `use`, some more than once.
   *
   * @throws java.io.IOException if the table of the zones cannot be read
   */
  def findNulls(stored: StoredZones, conf: Configuration)(use: Int => Unit): Unit =
    open(stored, conf).findNulls(use)

  private def findKeys(
      column: IndexedColumn,
      hashes: Array[Long],
      conf: Configuration,
      reads: ReadCounter)(use: Int => Unit): Unit = {
    val keys = hashes.map(_ >>> (64 - column.hashBits)).sorted.distinct
    column.parts.foreach { part =>
      val within = keys.filter(key => key >= part.firstKey && key <= part.lastKey)
      if (within.nonEmpty) open(part, conf).find(within, conf, reads)(use)
    }
  }

  /** Opens all files of columns. Throws java.io.IOException if one is damaged or gone. */
  private def openAll(conf: Configuration): Unit = {
    manifest.columns.flatMap(_.parts).foreach(open(_, conf))
    manifest.columns.flatMap(_.zones).foreach { stored =>
      open(stored, conf)
      ZoneColumn.checkSlabs(stored, folder, conf)
    }
  }

  private def open(stored: StoredZones, conf: Configuration): ZoneColumn =
    Option(zones.get(stored.table.name)).getOrElse {
      val opened = ZoneColumn.open(stored, folder, manifest.rowGroups, conf)
      zones.put(stored.table.name, opened)
      opened
    }

  private def open(part: StoredPart, conf: Configuration): KeyPart =
    Option(parts.get(part.name)).getOrElse {
      val opened = KeyPart.open(part, folder, conf)
      parts.put(part.name, opened)
      opened
    }
}

private[index] object Segment {

  /**
   * Late keys and filters on partitions list other files than the scan of the whole table. No limit
   * counts the files of a listing, so the heap may drop it.
   */
  private final val MostListings = 8

  /** @throws java.io.IOException if the table of the segment's files cannot be read */
  def open(manifest: SegmentManifest, place: IndexPlace, conf: Configuration): Segment = {
    val folder = place.folder(conf).segment(manifest.id)
    new Segment(manifest, folder, SegmentFiles.read(manifest.files, folder, place, conf))
  }

  /**
   * Opens a segment with all of its files.
   *
   * @throws java.io.IOException if one is damaged or gone; damage within pages is not found
   */
  def openWhole(manifest: SegmentManifest, place: IndexPlace, conf: Configuration): Segment = {
    val segment = open(manifest, place, conf)
    segment.openAll(conf)
    segment
  }
}

/**
 * What a segment knows about the files of a listing.
 *
 * @param numbers the number of each listed file in the segment, -1 if it is unknown
 * @param places the place of each of the segment's files in the listing, -1 if it is not listed
 * @param rowGroups the number of row groups of each listed file, -1 if it is unknown
 */
private[search] final class Listing private (
    val files: IndexedSeq[FileStatus],
    val numbers: Array[Int],
    val places: Array[Int],
    val rowGroups: Array[Int]) {

  /** Whether the segment knows any of the files. */
  val isKnown: Boolean = numbers.exists(_ >= 0)
}

private[search] object Listing {

  /** A file that is listed twice counts once; its second place is unknown. */
  def of(listed: IndexedSeq[FileStatus], segment: SegmentFiles): Listing = {
    val numbers = listed.iterator.map(segment.numberOf).toArray
    val places = Array.fill(segment.size)(-1)
    numbers.indices.foreach { i =>
      if (numbers(i) >= 0 && places(numbers(i)) >= 0) numbers(i) = -1
      else if (numbers(i) >= 0) places(numbers(i)) = i
    }
    val rowGroups = numbers.map(n => if (n < 0) -1 else segment.rowGroupsOf(n))
    new Listing(listed, numbers, places, rowGroups)
  }
}
