package io.sbbf.parquet.footer

import java.util.BitSet

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.input.ChunkModules
import io.sbbf.parquet.model.{ColumnType, FileSchema, LeafResult}
import io.sbbf.parquet.statistics.{Bounds, DeclaredType, ValueRange}

/**
 * Holds what a footer records about a file's row groups and column chunks, in compact arrays.
 * Immutable and thread-safe. Row groups and columns are numbered as in the file. Columns are the
 * leaves of its schema.
 *
 * @param unsafeColumns the columns of whose predicates parquet-mr loses rows, or at which it fails:
 *   statistics are known to be wrong, a DECIMAL has fewer than four bytes, or another column has the
 *   same dotted path. Do not modify.
 * @param countsNaN whether a chunk's statistics show that it holds NaN: as the maximum, which is
 *   how parquet-mr writes it
 * @param hasDeltaPages whether a chunk has an encoding of deltas, and an offset index by which readers
 *   skip some of its values
 */
final class FileFooter private[parquet] (
    private[parquet] val schema: FileSchema,
    private[parquet] val footerStart: Long,
    groups: RowGroups,
    chunks: Chunks,
    private[parquet] val bounds: Bounds,
    encryption: Encryption,
    private[parquet] val unsafeColumns: BitSet,
    countsNaN: Boolean,
    private[parquet] val hasDeltaPages: Boolean,
    schemaBytes: Long) {
  import Chunks._

  def numRowGroups: Int = groups.rows.length
  def numRows(rowGroup: Int): Long = groups.rows(rowGroup)

  /** Returns the compressed size of the row group's column chunks, in bytes. */
  def compressedBytes(rowGroup: Int): Long = groups.compressed(rowGroup)

  /**
   * Returns the offset by which readers assign a row group to a split. It is computed as in
   * parquet-mr (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`). Valid only if
   * [[hasMidpoints]] holds.
   */
  def midpoint(rowGroup: Int): Long = groups.midpoints(rowGroup)

  /** Returns whether all midpoints are known. */
  def hasMidpoints: Boolean = groups.hasMidpoints

  def numColumns: Int = schema.numColumns

  /** Returns the path of the column, its names joined by dots. */
  def columnName(column: Int): String = schema.column(column).path.mkString(".")

  /** Returns the number of values of the column chunk, including its NULLs. */
  def numValues(rowGroup: Int, column: Int): Long = {
    val stored = at(chunks.numValues, chunk(rowGroup, column))
    if (stored == 0) numRows(rowGroup) else stored
  }

  /** Returns the null count of the column chunk, or -1 if it is missing or invalid. */
  def nullCount(rowGroup: Int, column: Int): Long =
    at(chunks.nullCounts, chunk(rowGroup, column)) - 1

  /** Returns the null count, 0 for a column that cannot be NULL, or -1 if it is unknown. */
  private[parquet] def possibleNulls(rowGroup: Int, column: Int): Long =
    if (schema.column(column).isNullable) nullCount(rowGroup, column) else 0

  private[parquet] def isAllNull(rowGroup: Int, column: Int): Boolean =
    possibleNulls(rowGroup, column) == numValues(rowGroup, column)

  /** Returns the offset of the chunk's bloom filter, or 0 if it has none. */
  private[parquet] def filterOffset(chunk: Int): Long = at(chunks.filterOffsets, chunk)

  /**
   * Returns the bytes of filter header and bitset, or a limit of them; 0 if unknown, -1 if invalid.
   */
  private[parquet] def filterLength(chunk: Int): Int = at(chunks.filterLengths, chunk)

  /** Returns whether a known length of the filter is the one that the footer states, and no limit. */
  private[parquet] def isFilterLengthExact(chunk: Int): Boolean = !hasFlag(chunk, Bounded)

  /** Returns whether the filter of the chunk may lack values. */
  private[parquet] def hasFaultyFilter(chunk: Int): Boolean = hasFlag(chunk, FaultyFilter)

  /** Returns whether the chunk has bounds whose order the footer does not state. */
  private[parquet] def hasUnorderedBounds(chunk: Int): Boolean = hasFlag(chunk, Unordered)

  private def hasFlag(chunk: Int, flag: Int): Boolean = (chunks.flags(chunk) & flag) != 0

  /**
   * Returns the offset of the chunk's dictionary page if all of its data pages use it, else 0.
   */
  private[parquet] def dictionaryOffset(chunk: Int): Long = at(chunks.dictionaryOffsets, chunk)

  /** Returns an upper limit of the size of the dictionary page, in bytes. */
  private[parquet] def maxDictionaryBytes(chunk: Int): Int = at(chunks.maxDictionaryBytes, chunk)

  /** Returns the number of the codec in parquet.thrift. */
  private[parquet] def codec(chunk: Int): Int = chunks.codecs(chunk).toInt

  /**
   * Returns whether the file stores each value of the column as the declared type represents it,
   * and has statistics that include all values. Also true if the file lacks the column.
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

  /**
   * Returns whether every row group has a valid null count of the column. Also true if the file
   * lacks the column.
   */
  def countsNulls(column: ColumnPath, caseSensitive: Boolean): Boolean =
    schema.resolve(column, caseSensitive) match {
      case FileSchema.Absent => true
      case FileSchema.Found(c) => (0 until numRowGroups).forall(nullCount(_, c) >= 0)
      case _ => false
    }

  /**
   * Returns whether the chunk's values are within the range of the declared type. Some writers
   * store values that their own annotation does not allow.
   */
  private def isWithin(
      range: ValueRange,
      rowGroup: Int,
      column: Int,
      stored: ColumnType): Boolean = {
    val at = chunk(rowGroup, column)
    bounds.isKnown(at) && range.contains(bounds, at, stored) ||
    nullCount(rowGroup, column) == numValues(rowGroup, column)
  }

  /** Returns whether any part of the file is encrypted. */
  def isEncrypted: Boolean = encryption.isPresent

  /** Returns the reader of the chunk's modules. */
  private[parquet] def modules(chunk: Int): ChunkModules =
    if (encryption.modules.length == 0) ChunkModules.Plain else encryption.modules(chunk)

  /** Returns whether the chunk's metadata is unreadable: encrypted or damaged. */
  private[parquet] def isUnreadable(chunk: Int): Boolean = hasFlag(chunk, Encrypted | Damaged)

  /** Returns the reason why the metadata of an unreadable chunk cannot be read. */
  private[parquet] def whyUnreadable(chunk: Int): LeafResult =
    if (hasFlag(chunk, Encrypted)) LeafResult.EncryptedColumn
    else LeafResult.DamagedColumn

  /** Returns whether both bounds are exact and equal. */
  private[parquet] def isConstant(chunk: Int): Boolean = hasFlag(chunk, Constant)

  /**
   * Returns whether parquet-mr may lose rows of predicates on the column, or fail at them. Also true
   * if the path leads to no single column, and some other column is unsafe.
   */
  def isUnsafe(column: ColumnPath, caseSensitive: Boolean): Boolean =
    !unsafeColumns.isEmpty && (schema.resolve(column, caseSensitive) match {
      case FileSchema.Found(c) => unsafeColumns.get(c)
      case FileSchema.Absent => false
      case _ => true
    })

  private[parquet] def chunk(rowGroup: Int, column: Int): Int = rowGroup * numColumns + column

  /**
   * Returns the heap that the footer holds, in bytes. A shared schema is counted with the first
   * of the files that share it.
   */
  def retainedBytes: Long =
    128 + groups.retainedBytes + chunks.retainedBytes + bounds.retainedBytes +
      encryption.retainedBytes + schemaBytes
}

/**
 * States whether a file is encrypted, and how its modules are read.
 *
 * @param modules the readers of each chunk's modules; empty if the file was read without keys
 */
private[parquet] final class Encryption(
    val isPresent: Boolean,
    val modules: Array[ChunkModules]) {
  def retainedBytes: Long = 40 + 40L * modules.length
}
