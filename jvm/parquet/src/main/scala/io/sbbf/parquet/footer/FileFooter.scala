package io.sbbf.parquet.footer

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.input.ChunkModules
import io.sbbf.parquet.model.{ColumnType, FileSchema, LeafResult}
import io.sbbf.parquet.statistics.{Bounds, DeclaredType, ValueRange}

/**
 * What a file's footer tells about its row groups and column chunks, in compact arrays.
 * Immutable, thread-safe. Row groups and columns are numbered as in the file; columns are the
 * leaves of its schema.
 *
 * The arrays of the chunks are ordered by row group, then column; one in which all are zero is
 * left out.
 *
 * @param hasCorruptStatistics whether statistics of a column chunk or a page are known to be wrong
 * @param hasShortDecimals whether a DECIMAL column stores its values in fewer than four bytes
 * @param countsNaN whether a NaN shows in the statistics of its column chunk: in the maximum, as parquet-mr writes it
 */
final class FileFooter private[parquet] (
    private[parquet] val schema: FileSchema,
    private[parquet] val footerStart: Long,
    groups: RowGroups,
    chunks: Chunks,
    private[parquet] val bounds: Bounds,
    encryption: Encryption,
    val hasCorruptStatistics: Boolean,
    val hasShortDecimals: Boolean,
    countsNaN: Boolean,
    schemaBytes: Long) {
  import Chunks._

  def numRowGroups: Int = groups.rows.length
  def numRows(rowGroup: Int): Long = groups.rows(rowGroup)

  /** Bytes of the row group's column chunks, compressed. */
  def compressedBytes(rowGroup: Int): Long = groups.compressed(rowGroup)

  /**
   * The byte by which readers choose the split that a row group belongs to, computed as
   * parquet-mr does (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`). Right only where
   * [[hasDistinctMidpoints]].
   */
  def midpoint(rowGroup: Int): Long = groups.midpoints(rowGroup)

  /**
   * Whether all midpoints are known and strictly increasing, so that each stands for its row
   * group alone.
   */
  def hasDistinctMidpoints: Boolean = groups.hasDistinctMidpoints

  def numColumns: Int = schema.numColumns

  /** The path of the column, its names joined by dots. */
  def columnName(column: Int): String = schema.column(column).path.mkString(".")

  def numValues(rowGroup: Int, column: Int): Long = {
    val stored = at(chunks.numValues, chunk(rowGroup, column))
    if (stored == 0) numRows(rowGroup) else stored
  }

  /** NULLs of the column chunk, or -1 if they are not told or cannot be right. */
  def nullCount(rowGroup: Int, column: Int): Long =
    at(chunks.nullCounts, chunk(rowGroup, column)) - 1

  /** Where the chunk's bloom filter starts, or 0 if it has none. */
  private[parquet] def filterOffset(chunk: Int): Long = at(chunks.filterOffsets, chunk)

  /** Bytes of header and bitset, told or found; -1 if they cannot be right. */
  private[parquet] def filterLength(chunk: Int): Int = at(chunks.filterLengths, chunk)

  /** Where the chunk's dictionary page starts if all its data pages use it, else 0. */
  private[parquet] def dictionaryOffset(chunk: Int): Long = at(chunks.dictionaryOffsets, chunk)

  /** More bytes than these the dictionary page cannot have. */
  private[parquet] def maxDictionaryBytes(chunk: Int): Int = at(chunks.maxDictionaryBytes, chunk)

  /** The ordinal of the codec in parquet.thrift. */
  private[parquet] def codec(chunk: Int): Int = chunks.codecs(chunk).toInt

  /**
   * Whether the file holds each value of the column as a table of the declared type has it, and statistics that cover
   * all of them. True also where the file lacks the column.
   */
  def storesAsDeclared(
      column: ColumnPath,
      declared: DeclaredType,
      caseSensitive: Boolean): Boolean =
    schema.resolve(column, caseSensitive) match {
      case FileSchema.Absent => true
      case FileSchema.Found(c) =>
        val stored = schema.column(c).columnType
        declared.isStoredAs(stored) && (countsNaN || !stored.isFloating) &&
        declared.range.forall(range =>
          (0 until numRowGroups).forall(isWithin(range, _, c, stored)))
      case _ => false
    }

  /** Whether every row group counts the column's NULLs. True also where the file lacks the column. */
  def countsNulls(column: ColumnPath, caseSensitive: Boolean): Boolean =
    schema.resolve(column, caseSensitive) match {
      case FileSchema.Absent => true
      case FileSchema.Found(c) => (0 until numRowGroups).forall(nullCount(_, c) >= 0)
      case _ => false
    }

  /** Some writers store values that their own annotation does not allow. */
  private def isWithin(
      range: ValueRange,
      rowGroup: Int,
      column: Int,
      stored: ColumnType): Boolean = {
    val at = chunk(rowGroup, column)
    bounds.isKnown(at) && range.contains(bounds, at, stored) ||
    nullCount(rowGroup, column) == numValues(rowGroup, column)
  }

  /** Whether anything of the file is encrypted. */
  def isEncrypted: Boolean = encryption.isPresent

  /** How the chunk's modules are read. */
  private[parquet] def modules(chunk: Int): ChunkModules =
    if (encryption.modules.length == 0) ChunkModules.Plain else encryption.modules(chunk)

  /** Whether nothing of the chunk's metadata can be read. */
  private[parquet] def isUnreadable(chunk: Int): Boolean =
    (chunks.flags(chunk) & (Encrypted | Damaged)) != 0

  /** Why nothing of an unreadable chunk's metadata can be read. */
  private[parquet] def whyUnreadable(chunk: Int): LeafResult =
    if ((chunks.flags(chunk) & Encrypted) != 0) LeafResult.EncryptedColumn
    else LeafResult.DamagedColumn

  /** Whether both bounds are exact and the same. */
  private[parquet] def isConstant(chunk: Int): Boolean = (chunks.flags(chunk) & Constant) != 0

  private[parquet] def chunk(rowGroup: Int, column: Int): Int = rowGroup * numColumns + column

  /**
   * Heap that the footer holds; a schema is counted with the first of the files that share it.
   */
  def retainedBytes: Long =
    128 + groups.retainedBytes + chunks.retainedBytes + bounds.retainedBytes +
      encryption.retainedBytes + schemaBytes
}
