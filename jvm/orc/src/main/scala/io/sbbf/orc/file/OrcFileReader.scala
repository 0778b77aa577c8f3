package io.sbbf.orc.file

import java.io.Closeable

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.orc.impl.RecordReaderImpl
import org.apache.orc.util.{BloomFilter, BloomFilterIO}
import org.apache.orc.{ColumnStatistics, OrcFile, OrcProto, Reader, TypeDescription}

/**
 * Reads the tail of a file and the indexes of its stripes through ORC's own library. It reads no
 * column data. Not thread-safe. All methods throw java.io.IOException if the file cannot be read.
 */
private[orc] final class OrcFileReader private (reader: Reader) extends Closeable {
  val tail: FileTail = FileTail.of(reader)

  private val stride = reader.getRowIndexStride
  private val usable = new UsableStatistics(reader)
  private val hasWrongFilters = FilterSupport.isWrong(reader.getFileTail.getFooter)

  private var opened: Option[RecordReaderImpl] = None

  /** Opens the rows of no column, because the data of the first stripe's columns would be read. */
  private def rows: RecordReaderImpl = opened.getOrElse {
    reader.rows(reader.options().include(new Array[Boolean](tail.columns))) match {
      case known: RecordReaderImpl =>
        opened = Some(known) // it owns the file's stream from now on
        known
      case other => throw new IllegalStateException(s"unknown reader ${other.getClass.getName}")
    }
  }

  /** Returns the statistics of a column in each stripe, null where they are unusable. */
  def statistics(column: Int): Array[ColumnStatistics] = {
    val stored = reader.getStripeStatistics
    val isUsable = usable.areRightInStripes && stored.size == tail.stripes.size
    Array.tabulate(tail.stripes.size) { n =>
      if (isUsable) usable.read(stored.get(n).getColumn(column), tail.schema.findSubtype(column))
      else null
    }
  }

  /**
   * Returns what the index of a stripe states about columns, in their order; None for a column
   * without an entry for each row group.
   */
  def rowGroups(stripe: Int, columns: Seq[Int]): Seq[Option[RowGroups]] = {
    val number = numRowGroups(stripe)
    if (number == 0) columns.map(_ => None)
    else {
      val wanted = new Array[Boolean](tail.columns)
      columns.foreach(wanted(_) = true)
      val included = wanted.clone()
      included(0) = true
      val index = rows.readRowIndex(stripe, included, wanted)
      val encodings = rows.readStripeFooter(reader.getStripes.get(stripe)).getColumnsList
      columns.map { column =>
        val entries = index.getRowGroupIndex()(column)
        if (entries == null || entries.getEntryCount != number) None
        else {
          val of = tail.schema.findSubtype(column)
          val statistics =
            Array.tabulate(number)(n => usable.read(entries.getEntry(n).getStatistics, of))
          val stored = index.getBloomFilterIndex()(column)
          val filters =
            if (stored == null || hasWrongFilters || stored.getBloomFilterCount != number)
              Array.empty[BloomFilter]
            else {
              val kind = index.getBloomFilterKinds()(column)
              Array.tabulate(number)(n =>
                filter(stored.getBloomFilter(n), kind, encodings.get(column), of))
            }
          Some(new RowGroups(statistics, filters, stride, tail.stripes(stripe).rows))
        }
      }
    }
  }

  /** Returns a filter, null if it must not be used. */
  private def filter(
      stored: OrcProto.BloomFilter,
      kind: OrcProto.Stream.Kind,
      encoding: OrcProto.ColumnEncoding,
      of: TypeDescription): BloomFilter = {
    val found =
      BloomFilterIO.deserialize(kind, encoding, reader.getWriterVersion, of.getCategory, stored)
    // writers leave filters of types that they cannot hash empty
    def isEmpty = found.getBitSet.forall(_ == 0L)
    val isValid = found != null && found.getNumHashFunctions >= 1 &&
      found.getNumHashFunctions <= OrcFileReader.MostHashFunctions && !isEmpty
    if (isValid) found else null
  }

  /** Returns the number of row groups of a stripe, 0 if the file has no indexes. */
  private def numRowGroups(stripe: Int): Int =
    if (stride <= 0) 0 else ((tail.stripes(stripe).rows + stride - 1) / stride).toInt

  override def close(): Unit =
    try opened.foreach(_.close())
    finally reader.close()
}

private[orc] object OrcFileReader {

  /**
   * Writers use log2(1 / fpp) hash functions. Hive wrote other numbers into filters that lack values
   * (ORC's example `over1k_bloom.orc` has 10,000).
   */
  private final val MostHashFunctions = 64

  /**
   * Opens a file.
   *
   * @param length the length of the file in bytes, as its listing reported it
   * @param settings the settings of [[OrcFileReader.settings]]
   * @throws java.io.IOException if the file cannot be read or is no ORC file
   */
  def open(fs: FileSystem, path: Path, length: Long, settings: Configuration): OrcFileReader =
    of(
      OrcFile
        .createReader(path, OrcFile.readerOptions(settings).filesystem(fs).maxLength(length)))

  /** Takes a reader over, and closes it if the tail of its file cannot be used. */
  private[file] def of(reader: Reader): OrcFileReader =
    try new OrcFileReader(reader)
    catch {
      case e: Throwable =>
        try reader.close()
        catch { case NonFatal(other) => e.addSuppressed(other) }
        throw e
    }

  /** Returns the settings for a scan with these ones, with filters of writers ignored that hashed texts wrongly. */
  def settings(hadoopConf: Configuration): Configuration = {
    val own = new Configuration(hadoopConf)
    own.setBoolean("orc.bloom.filter.ignore.non-utf8", true)
    own
  }
}
