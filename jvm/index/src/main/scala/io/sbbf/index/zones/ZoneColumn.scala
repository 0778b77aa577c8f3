package io.sbbf.index.zones

import java.util.BitSet

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.index.format.{DamagedIndex, StoredZones}
import io.sbbf.parquet.input.FileBytes

/**
 * The zones of a column, whose table is in memory. A row group without a zone is unknown, and so is
 * always found. Immutable and thread-safe.
 *
 * @param slabs the slabs, each with the row group of each of its filters, -1 for unused ones
 * @param nulls the row groups with a zone that may have NULL
 * @param unknown the row groups without a zone
 */
private[index] final class ZoneColumn private (
    slabs: Seq[(SlabSearch, Array[Int])],
    nulls: BitSet,
    unknown: BitSet) {

  /**
   * Passes the row groups that might hold a value with one of the hashes to `use`, some more than
   * once.
   *
   * @param count receives the number of slices that were read of a file
   * @throws java.io.IOException if a slice cannot be read or is damaged
   */
  def find(hashes: Array[Long], conf: Configuration, count: (Int, FileBytes) => Unit)(
      use: Int => Unit): Unit = {
    slabs.foreach { case (slab, rowGroups) =>
      slab.find(hashes, conf, count) { filter =>
        if (rowGroups(filter) >= 0) use(rowGroups(filter))
      }
    }
    unknown.stream.forEach(n => use(n))
  }

  /** Passes the row groups that might hold NULL to `use`, some more than once. */
  def findNulls(use: Int => Unit): Unit = {
    nulls.stream.forEach(n => use(n))
    unknown.stream.forEach(n => use(n))
  }
}

private[index] object ZoneColumn {

  /** Estimates what a search costs, as the bytes that are read. */
  def cost(zones: StoredZones, hashes: Int): Double =
    zones.slabs.map(slab => new SlabSearch(slab, null).cost(hashes)).sum

  /**
   * Checks whether the files of the slabs are there; damage within them is not found.
   *
   * @throws java.io.IOException if one is gone or has another length
   */
  def checkSlabs(zones: StoredZones, folder: Path, conf: Configuration): Unit =
    zones.slabs.flatMap(_.parts).foreach { part =>
      val path = new Path(folder, part.name)
      if (path.getFileSystem(conf).getFileStatus(path).getLen != part.bytes)
        throw new DamagedIndex(s"$path is damaged: its length is not ${part.bytes}")
    }

  /**
   * Opens the zones of a column.
   *
   * @param folder the folder of the segment
   * @param rowGroups the number of row groups of the segment
   * @throws java.io.IOException if the table of zones cannot be read or is damaged
   */
  def open(zones: StoredZones, folder: Path, rowGroups: Int, conf: Configuration): ZoneColumn = {
    val ofFilter = zones.slabs.map(slab => Array.fill(slab.filters)(-1))
    val bySize = zones.slabs.map(_.filterBytes).zip(ofFilter).toMap
    val (nulls, unknown) = (new BitSet(rowGroups), new BitSet(rowGroups))
    unknown.set(0, rowGroups)
    ZoneTable.read(zones.table, folder, conf) { zone =>
      bySize(zone.filterBytes)(zone.filter) = zone.rowGroup
      unknown.clear(zone.rowGroup)
      if (zone.hasNull) nulls.set(zone.rowGroup)
    }
    new ZoneColumn(zones.slabs.map(new SlabSearch(_, folder)).zip(ofFilter), nulls, unknown)
  }
}
