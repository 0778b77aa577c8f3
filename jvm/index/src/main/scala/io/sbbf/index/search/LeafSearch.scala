package io.sbbf.index.search

import java.io.IOException
import java.util.{BitSet, HashMap}

import org.apache.hadoop.conf.Configuration

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.index.format.{IndexedColumn, KeyPartWriter}
import io.sbbf.parquet.hashes.{HashBinding, LeafHits, StoredSchema}
import io.sbbf.parquet.model.Interruption
import io.sbbf.parquet.pass.PruningWarnings

/**
 * Searches segments for one leaf: finds the files of a listing that the segments know, and in these
 * the row groups that might match. Filled by one thread, then read by any.
 *
 * @param size the number of listed files
 * @param function the function of the column whose keys the leaf tests; None for the values
 */
private[search] final class LeafSearch(
    size: Int,
    function: Option[KeyFunction],
    bind: StoredSchema => HashBinding,
    conf: Configuration,
    warnings: PruningWarnings,
    reads: ReadCounter) {
  import LeafSearch._

  private val known = new BitSet(size)
  private val inexact = new BitSet(size)
  private val found = new HashMap[Integer, Array[Int]]
  private var bytesOfZones = 0.0

  /** Returns the files that might match, with all that are not known. */
  lazy val candidates: BitSet = {
    val files = known.clone().asInstanceOf[BitSet]
    files.flip(0, size)
    found.keySet.forEach(file => files.set(file))
    files
  }

  /** Whether no segment decides about any file. */
  def isEmpty: Boolean = known.isEmpty

  /** Returns the row groups of a file, null if it is not known. */
  def rowGroups(file: Int): LeafHits =
    if (!known.get(file)) null
    else new LeafHits(found.getOrDefault(file, NoRowGroup), areExact = !inexact.get(file))

  /** Searches a segment for the files that are not known yet. */
  def search(segment: Segment, listing: Listing): Unit = {
    val files = segment.files
    val bindings = files.schemaGroups.map(group => bind(group.schema))
    val columns = segment.manifest.columns
    val keyed = columns.indices.filter(columns(_).hasKeysOf(function))
    val zoned = keyed.filter(columns(_).kind == IndexedColumn.Bloom)
    val columnOf = files.schemaGroups.indices.map { g =>
      bindings(g) match {
        case HashBinding.OneOf(leaf, _) => files.schemaGroups(g).columnOf(leaf, keyed)
        case HashBinding.Null(leaf) => files.schemaGroups(g).columnOf(leaf, zoned)
        case _ => -1
      }
    }
    // files of one group are searched together, and those of others with the same keys as well
    val wanted = new HashMap[Search, BitSet]
    val wantedOf = files.schemaGroups.indices.map { group =>
      if (columnOf(group) < 0) null
      else {
        val search = new Search(columnOf(group), hashesOf(bindings(group)))
        wanted.computeIfAbsent(search, _ => new BitSet(files.size))
      }
    }.toArray
    // the schema of a file that is no Parquet file has only the indexed columns
    val hasNoRow = bindings
      .map(_ == HashBinding.NoRow && segment.manifest.readAs.isEmpty)
      .toArray
    var place = 0
    while (place < size) {
      val file = listing.numbers(place)
      if (file >= 0 && !known.get(place)) {
        val group = files.schemaGroup(file)
        if (hasNoRow(group)) known.set(place)
        else if (wantedOf(group) != null) wantedOf(group).set(file)
      }
      place += 1
    }
    wanted.forEach((search, of) => if (!of.isEmpty) run(segment, listing, search, of))
  }

  /** @param of the files of the segment that the search is for */
  private def run(segment: Segment, listing: Listing, search: Search, of: BitSet): Unit = {
    val column = segment.manifest.columns(search.column)
    val groups = new BitSet
    var isEverywhere = false
    val cost = segment.bytesToRead(column, search.hashes.length)
    // segments of zones are never merged, so there may be many
    val isAffordable = cost + bytesOfZones <= MostBytes
    if (isAffordable && column.kind == IndexedColumn.Bloom) bytesOfZones += cost
    val isRead =
      isAffordable &&
        (try {
          find(segment, column, search.hashes) { rowGroup =>
            if (rowGroup == KeyPartWriter.Everywhere) isEverywhere = true
            else groups.set(rowGroup)
          }
          true
        } catch {
          case e: IOException if !Interruption.is(e) =>
            warnings.once(
              s"index: ${segment.manifest.id}",
              s"lookups do not use an index, because it cannot be read (${e.getMessage}): " +
                "refresh_index builds it again",
              e)
            false
        })
    // keys in many row groups are not listed, so that the files' own evidence decides
    if (isRead && !isEverywhere) {
      var file = of.nextSetBit(0)
      while (file >= 0) {
        known.set(listing.places(file))
        if (column.kind == IndexedColumn.Bloom) inexact.set(listing.places(file))
        file = of.nextSetBit(file + 1)
      }
      addFound(segment.files, listing, groups, of)
    }
  }

  /** Passes what the segment finds to `use`. */
  private def find(segment: Segment, column: IndexedColumn, hashes: Array[Long])(
      use: Int => Unit): Unit =
    column.zones match {
      case Some(zones) if hashes eq OfNull => segment.findNulls(zones, conf)(use)
      case _ => segment.find(column, hashes, conf, reads)(use)
    }

  private def addFound(
      files: SegmentFiles,
      listing: Listing,
      groups: BitSet,
      of: BitSet): Unit = {
    var group = groups.nextSetBit(0)
    while (group >= 0) {
      val file = files.fileOf(group)
      if (file >= 0 && of.get(file)) {
        val place: Integer = listing.places(file)
        val before = found.getOrDefault(place, NoRowGroup)
        found.put(place, before :+ (group - files.firstRowGroup(file)))
      }
      group = groups.nextSetBit(group + 1)
    }
  }
}

private[search] object LeafSearch {
  private val NoRowGroup = Array.empty[Int]

  /** Stands for the hashes of a search for NULL. */
  private val OfNull = Array.empty[Long]

  private def hashesOf(binding: HashBinding): Array[Long] = binding match {
    case HashBinding.OneOf(_, hashes) => hashes
    case _ => OfNull
  }

  /** A search for more keys reads other evidence instead. */
  private final val MostBytes = 128.0 * 1024 * 1024

  /** The keys of a column. Hashes are compared by identity: files of one type share them. */
  private final class Search(val column: Int, val hashes: Array[Long]) {
    override def equals(other: Any): Boolean = other match {
      case that: Search => that.column == column && (that.hashes eq hashes)
      case _ => false
    }
    override def hashCode: Int = 31 * column + System.identityHashCode(hashes)
  }
}
