package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.RowGroup

import io.sbbf.parquet.model.UnusableFile

/**
 * Computes the midpoints by which parquet-mr assigns row groups to splits, with its own formula
 * (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`, the same from 1.13 to 1.17).
 */
private[parquet] object RowGroupOffsets {
  def of(rowGroups: util.List[RowGroup]): RowGroups = {
    val count = rowGroups.size
    val rows = new Array[Long](count)
    val compressed = new Array[Long](count)
    val midpoints = new Array[Long](count)
    val isOpen = count > 0 && hasFirstMetadata(rowGroups.get(0))
    var hasMidpoints = true
    var end = 0L
    var g = 0
    while (g < count) {
      val group = rowGroups.get(g)
      rows(g) = group.getNum_rows
      if (rows(g) < 0) throw new UnusableFile("row group with a negative row count")
      if (if (isOpen) isKnown(group) else isGuessable(group)) {
        val from = if (isOpen) start(group) else guessedStart(group, g == 0, end)
        compressed(g) = compressedBytes(group)
        end = from + compressed(g)
        midpoints(g) = from + compressed(g) / 2
        hasMidpoints &&= midpoints(g) > 0
      } else hasMidpoints = false
      g += 1
    }
    new RowGroups(rows, compressed, midpoints, hasMidpoints)
  }

  private def hasFirstMetadata(group: RowGroup): Boolean =
    !group.getColumns.isEmpty && group.getColumns.get(0).isSetMeta_data

  /**
   * Returns whether the row group's midpoint is known. If the total size is missing, the metadata
   * of all chunks is needed.
   */
  private def isKnown(group: RowGroup): Boolean = {
    val chunks = group.getColumns
    def all: Boolean = {
      var c = 0
      while (c < chunks.size && chunks.get(c).isSetMeta_data) c += 1
      c == chunks.size
    }
    hasFirstMetadata(group) && (group.isSetTotal_compressed_size || all)
  }

  private def start(group: RowGroup): Long = {
    val first = group.getColumns.get(0).getMeta_data
    if (first.isSetDictionary_page_offset)
      math.min(first.getData_page_offset, first.getDictionary_page_offset)
    else first.getData_page_offset
  }

  /**
   * Returns whether the row group states its offset and size, which parquet-mr uses if the file's
   * first chunk is encrypted.
   */
  private def isGuessable(group: RowGroup): Boolean =
    !group.getColumns.isEmpty && group.isSetFile_offset && group.isSetTotal_compressed_size

  /**
   * Returns the start of a row group as parquet-mr computes it. Some writers stored wrong offsets
   * (PARQUET-2078), so parquet-mr corrects them by the end of the previous row group.
   *
   * @param end the end of the previous row group
   */
  private def guessedStart(group: RowGroup, isFirst: Boolean, end: Long): Long =
    if (isFirst) MagicBytes else math.max(group.getFile_offset, end)

  /** The length of the magic at the start of a file. */
  final val MagicBytes = 4L

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

/**
 * Holds the facts about a file's row groups in arrays.
 *
 * @param rows the numbers of rows
 * @param compressed the compressed sizes in bytes
 * @param midpoints the offsets by which readers assign row groups to splits
 * @param hasMidpoints whether all midpoints are known
 */
private[parquet] final class RowGroups(
    val rows: Array[Long],
    val compressed: Array[Long],
    val midpoints: Array[Long],
    val hasMidpoints: Boolean) {
  def retainedBytes: Long = 32 + 3 * (16 + 8L * rows.length)
}
