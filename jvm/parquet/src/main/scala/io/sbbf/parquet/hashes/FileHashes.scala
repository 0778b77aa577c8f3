package io.sbbf.parquet.hashes

import java.io.InterruptedIOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.ParquetFileReader

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.parquet.footer.StoredFile
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.{ColumnType, KeyKind, Logical, Physical}
import io.sbbf.parquet.sample.{NamedColumns, SampledTable}
import io.sbbf.parquet.values.{ChunkValues, KeySink, ValueHasher, ValueKind, ValueSink}

/**
 * Reads the hashes of the values of a Parquet file, or of functions of them. Not thread-safe.
 *
 * Each method throws [[io.sbbf.parquet.model.UnusableFile]] for an unusable or encrypted file, and
 * java.io.IOException if the file cannot be read or is no longer the listed version.
 *
 * @param store the store that opens the file
 * @param table the table that the file belongs to; see [[NamedColumns]]
 * @param checksVersion whether the file must still be the listed version; needs the modification
 *   time of its store
 */
private[sbbf] final class FileHashes(
    file: FileStatus,
    conf: Configuration,
    store: FileStore,
    table: Option[SampledTable],
    checksVersion: Boolean)
    extends FileKeys {
  private val stored = new StoredFile(file, conf, store)
  private val columns = new NamedColumns(stored, table)
  private val distinct = new SortedHashes
  private var opened = Option.empty[ParquetFileReader]

  /** Returns what the footer states about the columns with these names; see [[KeyedColumn]]. */
  override def facts(wanted: Seq[String]): IndexFacts = {
    val footer = columns.footer
    val found = IndexFacts(
      (0 until footer.numRowGroups).map(footer.numRows),
      StoredSchema.pack(columns.metadata),
      wanted.map(name =>
        KeyedColumn.parse(name).fold(why => IndexableColumn(-1, Nil, Nil, Some(why)), column))
    )
    check()
    found
  }

  private def column(keyed: KeyedColumn): IndexableColumn = {
    val leaf = columns.names.indexOf(Some(keyed.column))
    if (leaf < 0) IndexableColumn(-1, Nil, Nil, None)
    else {
      val footer = columns.footer
      val columnType = footer.schema.column(leaf).columnType
      val isUnsupported = ValueKind.of(columns.descriptors(leaf).getPrimitiveType).isEmpty
      IndexableColumn(
        leaf,
        (0 until footer.numRowGroups).map(footer.numValues(_, leaf)),
        (0 until footer.numRowGroups).map(FileZones.filterBytes(footer, _, leaf)),
        if (keyed.function.isDefined && columnType != FileHashes.Text) Some(FileHashes.NoText)
        else if (isUnsupported) Some(ValueKind.WhyNone)
        else if (columnType.keys == KeyKind.None) Some(FileHashes.Incomparable)
        else None
      )
    }
  }

  /** Returns the hashes of a column chunk. Floats are hashed as filters hash them; see [[ValueHasher]]. */
  override def hashesOf(rowGroup: Int, source: KeySource): Array[Long] = {
    if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
    val footer = columns.footer
    if (footer.numRows(rowGroup) > 0) {
      val leaf = source.leaf
      val kind = ValueKind.of(columns.descriptors(leaf).getPrimitiveType).get
      val hasher = ValueHasher.of(kind, distinct)
      val values = source.function.fold[ValueSink](hasher)(new KeySink(_, hasher))
      val isAllDictionary = footer.dictionaryOffset(footer.chunk(rowGroup, leaf)) > 0
      new ChunkValues(reader()).addTo(values, rowGroup, leaf, isAllDictionary)
      hasher.flush()
    }
    distinct.result()
  }

  private def reader(): ParquetFileReader = opened.getOrElse {
    val fresh = stored.openReader()
    opened = Some(fresh)
    fresh
  }

  override def check(): Unit =
    if (checksVersion) stored.checkVersion()

  override def close(): Unit = {
    opened.foreach(_.close())
    opened = None
  }
}

private[sbbf] object FileHashes {
  private val Incomparable = "queries cannot compare values of this type with keys"
  private val Text = ColumnType(Physical.Bytes, Logical.Text)
  private val NoText = "it is no STRING column, as functions of a column need"
}
