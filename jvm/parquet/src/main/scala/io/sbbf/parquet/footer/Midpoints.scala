package io.sbbf.parquet
package footer

import java.util

import org.apache.parquet.format.RowGroup

/**
 * The midpoints by which parquet-mr gives row groups to splits, computed as it does
 * (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`, the same from 1.13 to 1.17).
 */
private[parquet] object Midpoints {
  def of(rowGroups: util.List[RowGroup]): RowGroups = {
    val count = rowGroups.size
    val rows = new Array[Long](count)
    val compressed = new Array[Long](count)
    val midpoints = new Array[Long](count)
    var canTrim = true
    var g = 0
    while (g < count) {
      val group = rowGroups.get(g)
      rows(g) = group.getNum_rows
      if (rows(g) < 0) throw new UnusableFile("row group without a number of rows")
      if (isKnown(group)) {
        compressed(g) = compressedBytes(group)
        midpoints(g) = start(group) + compressed(g) / 2
        canTrim &&= midpoints(g) > (if (g == 0) 0L else midpoints(g - 1))
      } else canTrim = false
      g += 1
    }
    new RowGroups(rows, compressed, midpoints, canTrim)
  }

  /**
   * Without the first chunk's metadata parquet-mr guesses the start, and not always the same for
   * each row group; without a total it needs the metadata of all.
   */
  private def isKnown(group: RowGroup): Boolean = {
    val chunks = group.getColumns
    def all: Boolean = {
      var c = 0
      while (c < chunks.size && chunks.get(c).isSetMeta_data) c += 1
      c == chunks.size
    }
    !chunks.isEmpty && chunks.get(0).isSetMeta_data &&
    (group.isSetTotal_compressed_size || all)
  }

  private def start(group: RowGroup): Long = {
    val first = group.getColumns.get(0).getMeta_data
    if (first.isSetDictionary_page_offset)
      math.min(first.getData_page_offset, first.getDictionary_page_offset)
    else first.getData_page_offset
  }

  private def compressedBytes(group: RowGroup): Long =
    if (group.isSetTotal_compressed_size) group.getTotal_compressed_size
    else {
      var sum = 0L
      var c = 0
      while (c < group.getColumns.size) {
        sum += group.getColumns.get(c).getMeta_data.getTotal_compressed_size
        c += 1
      }
      sum
    }
}
