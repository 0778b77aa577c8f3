package io.sbbf.parquet.eval

import java.io.IOException

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.RowGroupPredicate.{IsNullDecimal, Leaf}
import io.sbbf.parquet.chunk.{
  CachedEvidence,
  ColumnContents,
  DictionaryReader,
  FilterReader,
  FilterState,
  PassCounter
}
import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.BoundPredicate.{InSet, ValueTest}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, FileSchema, Interruption, LeafResult}
import io.sbbf.parquet.statistics.DeclaredType

/**
 * Holds the evidence about the row groups of one version of a file: its footer, and the filters and
 * dictionaries that were read and not forgotten since. Later requests repeat failed reads.
 * Thread-safe.
 *
 * @param mostRetained the limit of the retained heap, in bytes; a filter that would exceed it is
 *   not kept, but read again whenever it is probed
 */
final class FileEvidence(val footer: FileFooter, mostRetained: Long = Long.MaxValue)
    extends CachedEvidence {
  import FileEvidence._

  private val filterReader = new FilterReader(footer)

  /** Holds the columns of which filters or dictionaries were read. They are few. */
  @volatile private var columnsRead = Array.empty[ColumnContents]

  /**
   * Returns the evaluator of a leaf for this file.
   *
   * @param lookup the rules by which the leaf's column is found
   * @param encodings the encoded literals of the leaf's query, shared by all of its files
   * @param isCacheFull returns whether the cache has no space for what is read
   */
  def bind(
      leaf: Leaf,
      lookup: ColumnLookup,
      encodings: LiteralEncodings,
      isCacheFull: () => Boolean = () => false): LeafEvaluator =
    locate(leaf, lookup) match {
      case Left(result) => new ConstantLeaf(footer, result)
      case Right(column) =>
        touch(column, PassCounter.latest)
        val node = footer.schema.column(column)
        val test = encodings.of(leaf, node.columnType)
        val values = new ColumnLeaf(this, column, test, isCacheFull)
        if (node.isFlat) values else RepeatedLeaf.of(leaf.test, values, footer)
    }

  /** Returns the number of a leaf's column in this file, or the result of all its row groups. */
  private[eval] def locate(leaf: Leaf, lookup: ColumnLookup): Either[LeafResult, Int] =
    footer.schema.resolve(leaf.column, lookup) match {
      case _ if leaf.column.function.isDefined => Left(LeafResult.NoEvidence)
      case _ if lookup.isOverwritten(leaf.column.root) => Left(LeafResult.OverwrittenColumn)
      case FileSchema.Absent if lookup.hasDefault(leaf.column.root) =>
        Left(LeafResult.DefaultedColumn)
      case FileSchema.Absent if leaf.test.passesNull => Left(LeafResult.EveryRowNull)
      case FileSchema.Absent => Left(LeafResult.AllNull)
      case FileSchema.SchemaMismatch => Left(LeafResult.SchemaMismatch)
      case FileSchema.Ambiguous => Left(LeafResult.AmbiguousColumn)
      case FileSchema.Repeated => Left(LeafResult.RepeatedColumn)
      case FileSchema.Found(_) if mayReadNulls(leaf, lookup) => Left(LeafResult.NoEvidence)
      case FileSchema.Found(column) => Right(column)
    }

  private def mayReadNulls(leaf: Leaf, lookup: ColumnLookup): Boolean = leaf.test match {
    case IsNullDecimal(precision, scale) =>
      val declared = DeclaredType.DecimalWithin(precision, scale)
      !footer.storesAsDeclared(leaf.column, declared, lookup.caseSensitive)
    case _ => false
  }

  /** Returns the heap held by the footer and the contents that were read since, in bytes. */
  def retainedBytes: Long = footerBytes + contentBytes

  override private[sbbf] def footerBytes: Long = 80 + footer.retainedBytes

  override private[sbbf] def contentBytes: Long = columnsRead.map(_.retainedBytes).sum

  /** Forgets the filters and dictionaries of columns. */
  override private[sbbf] def forgetContents(usedBefore: Long): Long = synchronized {
    columnsRead = columnsRead.filter(_.lastUse >= usedBefore)
    contentBytes
  }

  /** Returns what was read of a column, or null if nothing was. */
  private def contentsOf(column: Int): ColumnContents = {
    val read = columnsRead
    var i = 0
    while (i < read.length && read(i).column != column) i += 1
    if (i < read.length) read(i) else null
  }

  private def ofColumn(column: Int): ColumnContents = synchronized {
    if (contentsOf(column) == null)
      columnsRead = columnsRead :+ new ColumnContents(column, footer.numRowGroups)
    contentsOf(column)
  }

  /**
   * Returns the filter of a column chunk, and reads it if it was not read before. If the read
   * fails, the filter is rejected; the next call reads again.
   *
   * @param bytes the file that the footer was read from
   */
  def filter(rowGroup: Int, column: Int, bytes: => FileBytes): FilterState =
    try readFilter(rowGroup, column, bytes)
    catch {
      case e: IOException if !Interruption.is(e) => FilterState.Rejected("cannot be read")
    }

  /**
   * Returns the column with this path of names in the file (`a.list.element`), or -1 if there is
   * none or more than one.
   */
  def columnIndex(path: Seq[String], caseSensitive: Boolean): Int =
    footer.schema.columnNamed(path, caseSensitive)

  /** Returns the column that holds the values of a query's path, or -1 if there is not one. */
  def columnIndex(path: ColumnPath, caseSensitive: Boolean): Int =
    footer.schema.columnOf(path, caseSensitive)

  /** Returns the offset of the chunk's filter as the footer states it, or -1 if it has none. */
  def filterOffset(rowGroup: Int, column: Int): Long = {
    val offset = footer.filterOffset(footer.chunk(rowGroup, column))
    if (offset == 0) -1 else offset
  }

  /** Returns the null count of the chunk, or -1 if unknown. */
  def nullCount(rowGroup: Int, column: Int): Long = footer.nullCount(rowGroup, column)

  /** Returns the name of the physical type in parquet.thrift. */
  def physicalType(column: Int): String = footer.schema.column(column).columnType.physical.name

  /** Returns whether the chunk's metadata is unreadable: encrypted or damaged. */
  def isUnreadable(rowGroup: Int, column: Int): Boolean =
    footer.isUnreadable(footer.chunk(rowGroup, column))

  private[parquet] def readFilter(
      rowGroup: Int,
      column: Int,
      bytes: => FileBytes): FilterState = {
    val known = knownFilter(rowGroup, column)
    if (known != null) known
    else if (filterOffset(rowGroup, column) < 0 && !isUnreadable(rowGroup, column))
      FilterState.Absent
    else {
      val state = filterReader.read(rowGroup, column, bytes)
      if (retainedBytes + state.retainedBytes > mostRetained) state
      else ofColumn(column).filters.publish(rowGroup, state, state.retainedBytes)
    }
  }

  /**
   * Returns whether a large filter that cannot be kept might hold one of a few literals. Reads only
   * the slices of the filter that decide. Returns None for any other filter, which
   * [[readFilter]] has to read whole.
   */
  private[parquet] def probe(
      rowGroup: Int,
      column: Int,
      test: InSet,
      isCacheFull: () => Boolean,
      bytes: => FileBytes): Option[Boolean] =
    if (knownFilter(rowGroup, column) != null || !filterReader.canProbe(rowGroup, column) ||
      (fits(rowGroup, column) && !isCacheFull())) None
    else
      test
        .hashesWithin(footer.bounds, footer.chunk(rowGroup, column), MostProbed)
        .flatMap(filterReader.probe(rowGroup, column, _, bytes))

  private def fits(rowGroup: Int, column: Int): Boolean =
    retainedBytes + footer.filterLength(footer.chunk(rowGroup, column)) <= mostRetained

  private def knownFilter(rowGroup: Int, column: Int): FilterState = {
    val known = contentsOf(column)
    if (known == null) null else known.filters.get(rowGroup)
  }

  /**
   * Returns the bitset of a chunk's filter. Returns null if none is in memory, or if the chunk has a
   * dictionary, which decides better.
   */
  private[parquet] def decisiveFilter(rowGroup: Int, column: Int): Array[Byte] =
    if (footer.dictionaryOffset(footer.chunk(rowGroup, column)) != 0) null
    else
      knownFilter(rowGroup, column) match {
        case FilterState.Present(_, _, bitset) => bitset
        case _ => null
      }

  /** Marks the contents of a column as used by a pass. */
  private[parquet] def touch(column: Int, pass: Long): Unit = {
    val known = contentsOf(column)
    if (known != null) known.lastUse = math.max(known.lastUse, pass)
  }

  /**
   * Reads the filter of this row group together with nearby filters of the next row groups.
   *
   * @param isWanted whether the filter of a row group would be probed
   */
  private[parquet] def readFiltersAhead(
      rowGroup: Int,
      column: Int,
      isWanted: Int => Boolean,
      bytes: => FileBytes): Unit =
    if (knownFilter(rowGroup, column) == null) {
      val length = filterReader.lengthWithNext(
        rowGroup,
        column,
        g => knownFilter(g, column) == null && isWanted(g))
      if (length > 0) bytes.readAhead(filterOffset(rowGroup, column), length)
    }

  /**
   * Returns the dictionary of a chunk. A large dictionary is cached without its page. Tests that
   * need the page read it again.
   */
  private[parquet] def readDictionary(
      rowGroup: Int,
      column: Int,
      test: ValueTest,
      bytes: => FileBytes): DictionaryReader.State = {
    val read = contentsOf(column)
    (if (read == null) null else read.dictionaries.get(rowGroup)) match {
      case null if footer.dictionaryOffset(footer.chunk(rowGroup, column)) == 0 =>
        DictionaryReader.Absent
      case null =>
        val state = DictionaryReader.read(footer, rowGroup, column, bytes)
        val kept = state.remembered
        ofColumn(column).dictionaries.publish(rowGroup, kept, kept.retainedBytes)
        state
      case DictionaryReader.Readable(dictionary) if !dictionary.canEvaluate(test) =>
        DictionaryReader.read(footer, rowGroup, column, bytes)
      case known => known
    }
  }
}

private[parquet] object FileEvidence {

  /** The most hashes for which slices of a filter are read one by one. */
  private val MostProbed = 4
}
