package io.sbbf.parquet.hashes

import java.io.{Closeable, IOException, InterruptedIOException}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.io.api.Binary

import io.sbbf.core.bloom.SplitBlockBloomFilter
import io.sbbf.parquet.chunk.{FilterReader, FilterState}
import io.sbbf.parquet.footer.{FileFooter, StoredFile}
import io.sbbf.parquet.input.{FileBytes, FileStore}
import io.sbbf.parquet.sample.{NamedColumns, SampledTable}
import io.sbbf.parquet.values.{ChunkValues, HashSink, ValueHasher, ValueKind, ValueSink}

/**
 * Supplies bloom filters of the zones of a file: runs of rows that never cross a row group. Not
 * thread-safe.
 *
 * Each method throws [[io.sbbf.parquet.model.UnusableFile]] for an unusable or encrypted file, and
 * java.io.IOException if the file cannot be read or is no longer the listed version. The parameters
 * are those of [[FileHashes]].
 */
private[sbbf] final class FileZones(
    file: FileStatus,
    conf: Configuration,
    store: FileStore,
    table: Option[SampledTable],
    checksVersion: Boolean)
    extends Closeable {
  import FileZones._

  private val stored = new StoredFile(file, conf, store)
  private val columns = new NamedColumns(stored, table)
  private var opened = Option.empty[ParquetFileReader]
  private var bytes = Option.empty[FileBytes]

  def rows(rowGroup: Int): Long = columns.footer.numRows(rowGroup)

  /**
   * Builds the filters of the zones of a column chunk from its values, and passes each to `use`.
   *
   * A floating-point value is hashed by its bits alone: a search looks for both zeros, and never
   * for NaN.
   *
   * @param rowsOfZone the number of rows of a zone; the last one may have fewer
   * @param filterBytes the size of each filter
   */
  def ofValues(rowGroup: Int, leaf: Int, rowsOfZone: Int, filterBytes: Int)(
      use: FilteredZone => Unit): Unit = {
    if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
    var bitset = new Array[Byte](filterBytes)
    val inserting = new HashSink {
      override def add(hashes: Array[Long], until: Int): Unit = {
        var i = 0
        while (i < until) {
          SplitBlockBloomFilter.insert(bitset, hashes(i))
          i += 1
        }
      }
    }
    val kind = ValueKind.of(columns.descriptors(leaf).getPrimitiveType).get
    val hasher = ValueHasher.of(kind, inserting)
    var found = 0L
    if (rows(rowGroup) > 0)
      new ChunkValues(reader()).addInRuns(rowGroup, leaf, new Bits(hasher), rowsOfZone) {
        (rows, hasNull) =>
          hasher.flush()
          use(FilteredZone(rows.toLong, hasNull, bitset))
          bitset = new Array[Byte](filterBytes)
          found += rows
      }
    if (found != rows(rowGroup))
      throw new IOException(
        s"${file.getPath}: row group $rowGroup has $found rows, not ${rows(rowGroup)}")
  }

  /**
   * Returns the file's own filter of a column chunk as that of one zone; None if there is no valid
   * one, or its size is no power of two.
   */
  def ofFilter(rowGroup: Int, leaf: Int): Option[FilteredZone] = {
    if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
    new FilterReader(columns.footer).read(rowGroup, leaf, openBytes()) match {
      case FilterState.Present(_, _, bitset) if Integer.bitCount(bitset.length) == 1 =>
        val hasNull = columns.footer.possibleNulls(rowGroup, leaf) != 0
        Some(FilteredZone(rows(rowGroup), hasNull, bitset))
      case _ => None
    }
  }

  private def reader(): ParquetFileReader = opened.getOrElse {
    val fresh = stored.openReader()
    opened = Some(fresh)
    fresh
  }

  private def openBytes(): FileBytes = bytes.getOrElse {
    val fresh = stored.open()
    bytes = Some(fresh)
    fresh
  }

  /** Fails if the file was replaced while it was read. */
  def check(): Unit = if (checksVersion) stored.checkVersion()

  override def close(): Unit = {
    opened.foreach(_.close())
    bytes.foreach(_.close())
    opened = None
    bytes = None
  }
}

private[sbbf] object FileZones {

  /** The least length of a filter's header; those of writers today have 15 to 18 bytes. */
  private final val MinHeader = 15

  /**
   * Returns the size of the filter of a column chunk derived from its length, if it is a power of two;
   * 0 if there is none. It may be invalid.
   */
  private[hashes] def filterBytes(footer: FileFooter, rowGroup: Int, leaf: Int): Int = {
    val chunk = footer.chunk(rowGroup, leaf)
    val length = footer.filterLength(chunk) - MinHeader
    if (footer.filterOffset(chunk) == 0 || length < SplitBlockBloomFilter.BytesPerBlock) 0
    else Integer.highestOneBit(length)
  }

  /** Passes floating-point values as their bits. */
  private final class Bits(hasher: ValueHasher) extends ValueSink {
    override def addInt(value: Int): Unit = hasher.addInt(value)
    override def addLong(value: Long): Unit = hasher.addLong(value)
    override def addBytes(value: Binary): Unit = hasher.addBytes(value)
  }
}

/**
 * A run of rows within a row group.
 *
 * @param hasNull whether the column may be NULL in one of its rows
 * @param bitset the bloom filter of the column's values
 */
private[sbbf] final case class FilteredZone(rows: Long, hasNull: Boolean, bitset: Array[Byte])
