package io.sbbf.index.zones

import java.io.IOException
import java.util.Arrays

import io.sbbf.core.bloom.BloomFilterStats
import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.parquet.hashes.{FileZones, FilteredZone}

/**
 * Builds the zones of one file.
 *
 * @param zones the file
 * @param file its number in the segment
 * @param firstRowGroup the number of its first row group in the segment
 * @param slabs the slabs of each column
 */
private[sbbf] final class ZoneBuilder(
    rule: Rule,
    zones: FileZones,
    file: Int,
    firstRowGroup: Int,
    slabs: Seq[Seq[SlabLayout]]) {

  /**
   * Builds the zones of a column in a row group. Passes their rows of the table to `row`, and their
   * filters to `piece`: the number of the slab, that of the part in the slab, that of the filter in
   * the slab, and the blocks that belong to the part.
   *
   * @throws java.io.IOException if the file cannot be read
   */
  def build(of: ColumnZones, rowGroup: Int, row: Zone => Unit)(
      piece: (Int, Int, Int, Array[Byte]) => Unit): Unit = {
    val slab = of.slabs(rowGroup)
    if (slab >= 0) {
      val layout = slabs(of.column)(slab)
      var start = (0 until rowGroup).map(zones.rows).sum
      var count = 0
      def add(zone: FilteredZone): Unit = {
        if (count == of.counts(rowGroup))
          throw new IOException("the file has more rows than before")
        val filter = of.firsts(rowGroup) + count
        row(
          Zone(
            file,
            start,
            zone.rows,
            zone.hasNull,
            firstRowGroup + rowGroup,
            layout.filterBytes,
            filter))
        val wide = BloomFilterStats.widen(zone.bitset, layout.filterBytes)
        (0 until layout.numParts).foreach { part =>
          val from = part * layout.bytesOfPiece
          piece(slab, part, filter, Arrays.copyOfRange(wide, from, from + layout.bytesOfPiece))
        }
        start += zone.rows
        count += 1
      }
      if (rule.fromFilters)
        zones
          .ofFilter(rowGroup, of.leaf)
          .filter(_.bitset.length <= layout.filterBytes)
          .foreach(add)
      else {
        val rows = if (rule.items == 0) Int.MaxValue else rule.items
        zones.ofValues(rowGroup, of.leaf, rows, layout.filterBytes)(add)
      }
    }
  }
}
