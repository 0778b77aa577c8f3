package io.sbbf.parquet.sample

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.ColumnChunk

import io.sbbf.core.bloom.BloomFilterStats
import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.chunk.{DictionaryReader, FilterReader, FilterState}
import io.sbbf.parquet.footer.StoredFile
import io.sbbf.parquet.input.{FileBytes, FileStore}
import io.sbbf.parquet.model.{KeyKind, RecoverableError}
import io.sbbf.parquet.values.{ChunkValues, ValueHasher, ValueKind}

/**
 * Describes the columns of a file by its footer and by the values of some row groups.
 *
 * Each method throws [[io.sbbf.parquet.model.UnusableFile]] for an unusable file, and
 * java.io.IOException if the file cannot be read.
 *
 * @param store the store that opens the file
 * @param table the table that the file belongs to. It names the columns, and columns that it does
 *   not have are omitted. Without it, columns are named by their dotted Parquet paths.
 */
private[sbbf] final class SampledFile(
    file: FileStatus,
    conf: Configuration,
    store: FileStore,
    table: Option[SampledTable] = None) {
  private val stored = new StoredFile(file, conf, store)
  private val columns = new NamedColumns(stored, table)
  import columns.{columnOf, footer, names}

  private def rowGroups: Seq[Int] = (0 until footer.numRowGroups).filter(footer.numRows(_) > 0)

  /**
   * Returns the footer's facts about the columns with these names, or about all if none is named.
   */
  def facts(wanted: Set[String]): FileFacts = {
    val found = for {
      (column, n) <- columns.descriptors.zipWithIndex
      name <- names(n)
      if wanted.isEmpty || wanted(name)
    } yield facts(name, column, n)
    FileFacts(rowGroups, found)
  }

  private def facts(name: String, descriptor: ColumnDescriptor, column: Int): ColumnFacts = {
    val primitive = descriptor.getPrimitiveType
    val withValues = rowGroups.filterNot(isAllNull(_, column))
    val chunks = withValues.map(footer.chunk(_, column))
    val (dictionaries, others) = chunks.partition(hasDictionary)
    val filters = chunks.filter(hasFilter)
    ColumnFacts(
      name,
      footer.columnName(column),
      Option(primitive.getLogicalTypeAnnotation)
        .fold(primitive.getPrimitiveTypeName.name)(_.toString),
      if (ValueKind.of(primitive).isEmpty) Some(ValueKind.WhyNone)
      else if (isIncomparable(column))
        Some("queries cannot probe filters for values of this type")
      else None,
      chunks.size,
      withValues.count(!stated(_, column).isSetOffset_index_offset),
      rowGroups.map(stated(_, column).getMeta_data.getTotal_compressed_size).sum,
      filters.size,
      filters.map(chunk => math.max(0, footer.filterLength(chunk)).toLong).sum,
      others.count(hasFilter),
      dictionaries.size,
      dictionaries.map(footer.maxDictionaryBytes(_).toLong).sum
    )
  }

  /** Returns what the footer states of a chunk. */
  private def stated(rowGroup: Int, column: Int): ColumnChunk =
    columns.metadata.getRow_groups.get(rowGroup).getColumns.get(column)

  private def isIncomparable(column: Int): Boolean =
    footer.schema.column(column).columnType.keys == KeyKind.None

  private def isAllNull(rowGroup: Int, column: Int): Boolean =
    footer.nullCount(rowGroup, column) == footer.numValues(rowGroup, column)

  private def hasFilter(chunk: Int): Boolean = footer.filterOffset(chunk) > 0

  private def hasDictionary(chunk: Int): Boolean =
    footer.dictionaryOffset(chunk) > 0 &&
      footer.maxDictionaryBytes(chunk) <= DictionaryReader.MaxPage

  /**
   * Maps the paths of queries to the file's columns. Paths without a column in the file are
   * omitted.
   */
  def resolve(paths: Seq[ColumnPath], caseSensitive: Boolean): Map[ColumnPath, String] =
    (for {
      path <- paths
      column <- columnOf(path, caseSensitive)
      name <- names(column)
    } yield path -> name).toMap

  /**
   * Samples the columns with these names in a row group, or returns the reason why a column
   * cannot be read. It omits columns whose type has no filters.
   */
  def sample(rowGroup: Int, wanted: Set[String]): Seq[Either[String, ChunkSample]] = {
    val found = for {
      (column, number) <- columns.descriptors.zipWithIndex
      name <- names(number)
      if wanted(name)
      kind <- ValueKind.of(column.getPrimitiveType)
    } yield (name, number, kind)
    val bytes = stored.open()
    try
      stored.reading { reader =>
        val values = new ChunkValues(reader)
        found.map { case (name, column, kind) =>
          try Right(sample(name, rowGroup, column, kind, values, bytes))
          catch {
            case RecoverableError.OfFile(e) =>
              Left(s"column '$name': ${RecoverableError.message(e)}")
          }
        }
      }
    finally bytes.close()
  }

  private def sample(
      name: String,
      rowGroup: Int,
      column: Int,
      kind: ValueKind,
      values: ChunkValues,
      bytes: FileBytes): ChunkSample = {
    val sketch = new KmvSketch.Builder
    val hasher = ValueHasher.of(kind, sketch)
    val sample = new ValueSample(hasher)
    val isAllDictionary = footer.dictionaryOffset(footer.chunk(rowGroup, column)) > 0
    values.addTo(sample, rowGroup, column, isAllDictionary)
    hasher.flush()
    val filter = new FilterReader(footer).read(rowGroup, column, bytes) match {
      case FilterState.Present(_, _, bitset) =>
        Some(ExistingFilter(bitset.length, BloomFilterStats.effectiveFpp(bitset)))
      case FilterState.Rejected(_) => Some(ExistingFilter(0, 1))
      case FilterState.Absent => None
    }
    ChunkSample(name, sketch.result(), sample.result, filter)
  }

  /**
   * Returns, for each column, how many pairs of a row group and a literal min/max keep.
   *
   * @param literals the literals of each column, in PLAIN encoding
   */
  def keptByBounds(literals: Map[String, Seq[Array[Byte]]]): Map[String, Long] =
    (for {
      column <- 0 until footer.numColumns
      name <- names(column)
      plain <- literals.get(name)
    } yield {
      val values = new BoundedValues(plain, footer.schema.column(column).columnType)
      name -> rowGroups.map(kept(values, _, column).toLong).sum
    }).toMap

  private def kept(values: BoundedValues, rowGroup: Int, column: Int): Int =
    if (isAllNull(rowGroup, column)) 0
    else values.within(footer.bounds, footer.chunk(rowGroup, column))
}

/**
 * The facts that a file's footer states.
 *
 * @param rowGroups the numbers of the row groups with rows
 * @param columns the facts about the requested columns
 */
private[sbbf] final case class FileFacts(rowGroups: Seq[Int], columns: Seq[ColumnFacts])

/**
 * The facts that a footer states about one column, summed over the row groups that have values of
 * it.
 *
 * @param column the column's name in the table, or else its dotted Parquet path
 * @param stored the column's dotted Parquet path
 * @param dataType the column's Parquet type
 * @param whyNone the reason why a filter of this type is useless; None if it is useful
 * @param chunks the number of row groups that have values
 * @param withoutOffsetIndex the number of these without an offset index, which tasks read whole
 * @param bytes the compressed size of all of the column's chunks, with those that have only nulls
 * @param filters the number of chunks with a filter, valid or not
 * @param filterBytes the size of these filters with their headers; a missing length counts as 0
 * @param filtersAlone the number of chunks with a filter and without a dictionary that pruning
 *   reads
 * @param dictionaries the number of chunks whose values are all in a dictionary that pruning
 *   reads
 * @param dictionaryBytes the compressed size of these dictionaries
 */
private[sbbf] final case class ColumnFacts(
    column: String,
    stored: String,
    dataType: String,
    whyNone: Option[String],
    chunks: Int,
    withoutOffsetIndex: Int,
    bytes: Long,
    filters: Int,
    filterBytes: Long,
    filtersAlone: Int,
    dictionaries: Int,
    dictionaryBytes: Long)

/**
 * Describes the values of one column chunk.
 *
 * @param column the column's dotted Parquet path
 * @param values the sketch of all values
 * @param sample a random sample of the values, in PLAIN encoding
 * @param filter the chunk's bloom filter, if it has one
 */
private[sbbf] final case class ChunkSample(
    column: String,
    values: KmvSketch,
    sample: Seq[Array[Byte]],
    filter: Option[ExistingFilter])

/**
 * The bloom filter of a column chunk.
 *
 * @param bytes the size of the bitset in bytes; 0 for an invalid filter
 * @param fpp the FPP, computed from the set bits; 1 for an invalid filter
 */
private[sbbf] final case class ExistingFilter(bytes: Int, fpp: Double)
