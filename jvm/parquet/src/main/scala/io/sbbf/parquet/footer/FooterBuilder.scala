package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.{
  ColumnChunk,
  ColumnMetaData,
  Encoding,
  FileMetaData,
  PageType,
  RowGroup,
  Statistics
}

import io.sbbf.parquet.input.{ChunkModules, FileModules, OpenChunk}
import io.sbbf.parquet.model.{
  ColumnType,
  FileSchema,
  KeyKind,
  Logical,
  Physical,
  RebaseMetadata,
  SchemaNode,
  UnusableFile
}
import io.sbbf.parquet.statistics.{Bounds, CorruptStatistics}

/**
 * Builds a [[FileFooter]] from a parsed footer, and checks all that can be checked without further
 * reads.
 */
private[parquet] final class FooterBuilder(
    metadata: FileMetaData,
    footerStart: Long,
    modules: FileModules = FileModules.Plain) {
  private val own = new SchemaReader(metadata.getSchema, RebaseMetadata.of(metadata)).read()
  private val schema = if (modules.usesKeys) own else FileSchema.share(own)
  private val columns = schema.numColumns
  private val faults = CorruptStatistics.of(metadata)
  private val rowGroups = metadata.getRow_groups
  private val size = FooterBuilder.numChunks(rowGroups, columns)

  private val flags = new Array[Byte](size)
  private val codecs = new Array[Byte](size)
  private val numValues = new Array[Long](size)
  private val nullCounts = new Array[Long](size)
  private val filterOffsets = new Array[Long](size)
  private val filterLengths = new Array[Int](size)
  private val dictionaryOffsets = new Array[Long](size)
  private val maxDictionaryBytes = new Array[Int](size)
  private val bounds = new Bounds.Builder(size)
  private val unsafeColumns = new util.BitSet(columns)
  for (c <- 0 until columns)
    if (schema.hasTwin(c) || FooterBuilder.isShortDecimal(schema.column(c).columnType))
      unsafeColumns.set(c)
  private var hasDeltaPages = false
  private val chunkModules =
    Array.fill[ChunkModules](if (modules.usesKeys) size else 0)(ChunkModules.Plain)

  def build(): FileFooter = {
    var g = 0
    while (g < rowGroups.size) {
      val chunks = rowGroups.get(g).getColumns
      var c = 0
      while (c < columns) {
        addChunk(g * columns + c, g, schema.column(c), chunks.get(c))
        c += 1
      }
      g += 1
    }
    // unreadable chunks hide offsets, so the structure after a filter is unknown
    if (!modules.usesKeys && !flags.exists(f => (f & (Chunks.Encrypted | Chunks.Damaged)) != 0))
      FilterExtents.measure(
        rowGroups,
        footerStart,
        hasGaps = Option(metadata.getCreated_by).exists(_.startsWith("QuestDB")),
        filterOffsets,
        filterLengths,
        flags)
    val chunks = new Chunks(
      flags,
      codecs,
      orNone(numValues),
      orNone(nullCounts),
      orNone(filterOffsets),
      orNone(filterLengths),
      orNone(dictionaryOffsets),
      orNone(maxDictionaryBytes))
    val schemaBytes = if (schema eq own) schema.retainedBytes else 0L
    new FileFooter(
      schema,
      footerStart,
      RowGroupOffsets.of(rowGroups),
      chunks,
      bounds.build(),
      new Encryption(modules.usesKeys || metadata.isSetEncryption_algorithm, chunkModules),
      unsafeColumns,
      countsNaN = !faults.leavesOutNaN,
      hasDeltaPages = hasDeltaPages,
      schemaBytes = schemaBytes
    )
  }

  private def orNone(numbers: Array[Long]): Array[Long] =
    if (numbers.forall(_ == 0)) Array.empty else numbers
  private def orNone(numbers: Array[Int]): Array[Int] =
    if (numbers.forall(_ == 0)) Array.empty else numbers

  private def addChunk(i: Int, g: Int, node: SchemaNode, chunk: ColumnChunk): Unit = {
    val group = rowGroups.get(g)
    modules.open(chunk, node, if (group.isSetOrdinal) group.getOrdinal.toInt else g) match {
      case Some(OpenChunk(data, ofChunk)) if isInPlace(chunk, data, node) =>
        if (modules.usesKeys) chunkModules(i) = ofChunk
        addMetadata(i, group, node, data)
        hasDeltaPages ||= chunk.isSetOffset_index_offset &&
          data.getEncodings.stream.anyMatch(_.name.startsWith("DELTA_"))
      case _ =>
        val why = if (FileModules.isEncrypted(chunk)) Chunks.Encrypted else Chunks.Damaged
        flags(i) = why.toByte
    }
  }

  private def isInPlace(chunk: ColumnChunk, data: ColumnMetaData, node: SchemaNode): Boolean =
    !chunk.isSetFile_path && FooterBuilder.isSame(data.getPath_in_schema, node.path)

  private def addMetadata(
      i: Int,
      group: RowGroup,
      node: SchemaNode,
      data: ColumnMetaData): Unit = {
    codecs(i) = data.getCodec.getValue.toByte
    if (data.getNum_values != group.getNum_rows) numValues(i) = data.getNum_values
    if (data.isSetStatistics) addStatistics(i, group, node, data)
    filterOffsets(i) = math.max(0, data.getBloom_filter_offset)
    filterLengths(i) = math.max(0, data.getBloom_filter_length)
    if (faults.filtersOfDictionaries && data.isSetDictionary_page_offset)
      flags(i) = (flags(i) | Chunks.FaultyFilter).toByte
    if (FooterBuilder.isAllDictionary(data)) addDictionary(i, data)
  }

  private def addStatistics(
      i: Int,
      group: RowGroup,
      node: SchemaNode,
      data: ColumnMetaData): Unit = {
    val statistics = data.getStatistics
    val nulls = statistics.getNull_count
    val isCounted = statistics.isSetNull_count && nulls >= 0 && nulls <= data.getNum_values &&
      (!node.isFlat || data.getNum_values == group.getNum_rows) &&
      (nulls == 0 || node.isNullable) && (node.path.length == 1 || !faults.nestedNulls)
    // a chunk with bounds has a value that is not NULL, whoever wrote it
    val isTooMany = nulls == data.getNum_values && nulls > 0 &&
      (statistics.isSetMin_value || statistics.isSetMin)
    val kind = node.columnType
    val isMiscounted = isTooMany || faults.ofNulls(kind, nulls, data.getNum_values)
    if (isCounted && !isMiscounted) nullCounts(i) = nulls + 1
    val hasBounds = statistics.isSetMin_value || statistics.isSetMax_value ||
      statistics.isSetMin || statistics.isSetMax
    val isMisbounded = hasBounds && faults.ofBounds(kind, FooterBuilder.hasDictionary(data))
    val finding = if (isMisbounded) Bounds.Unusable else addBounds(i, node, statistics)
    if (finding == Bounds.Equal && isExact(kind, statistics))
      flags(i) = (flags(i) | Chunks.Constant).toByte
    if (isMiscounted || isMisbounded || finding == Bounds.Contradictory ||
      faults.ofPages(kind, statistics) || isOfNoOrder(kind, statistics))
      unsafeColumns.set(node.column)
  }

  private def isOfNoOrder(kind: ColumnType, statistics: Statistics): Boolean =
    faults.noOrder && !metadata.isSetColumn_orders && kind.isOrdered &&
      (statistics.isSetMin_value || statistics.isSetMax_value)

  /**
   * Adds the bounds of a chunk. `min_value` and `max_value` are valid only if the footer states the
   * column order. The deprecated `min` and `max` are in signed order and valid only if the type has
   * that order (parquet.thrift, Statistics).
   */
  private def addBounds(i: Int, node: SchemaNode, statistics: Statistics): Bounds.Finding = {
    val kind = node.columnType
    val hasValues = statistics.isSetMin_value && statistics.isSetMax_value
    if (hasValues && isOrdered(node.column))
      bounds.add(
        i,
        kind,
        statistics.getMin_value,
        statistics.getMax_value,
        isInexact = isMarkedInexact(statistics))
    else if (statistics.isSetMin && statistics.isSetMax && kind.isSigned)
      bounds.add(i, kind, statistics.getMin, statistics.getMax, isInexact = false)
    else {
      if (hasValues) flags(i) = (flags(i) | Chunks.Unordered).toByte
      Bounds.Unusable
    }
  }

  private def isOrdered(column: Int): Boolean = metadata.isSetColumn_orders &&
    metadata.getColumn_orders.size == columns && metadata.getColumn_orders
      .get(column)
      .isSetTYPE_ORDER

  /**
   * Returns whether both bounds are values of the chunk. Writers may truncate bounds of strings
   * without a mark. Bounds of numbers are exact unless marked as inexact.
   */
  private def isExact(kind: ColumnType, statistics: Statistics): Boolean =
    if (kind.keys == KeyKind.Bytes && kind.width < 0)
      statistics.isIs_min_value_exact && statistics.isIs_max_value_exact
    else !isMarkedInexact(statistics)

  private def isMarkedInexact(statistics: Statistics): Boolean =
    statistics.isSetIs_min_value_exact && !statistics.isIs_min_value_exact ||
      statistics.isSetIs_max_value_exact && !statistics.isIs_max_value_exact

  /** If the page's offset is missing, the writer put the page at the start of the chunk. */
  private def addDictionary(i: Int, data: ColumnMetaData): Unit = {
    val firstPage = data.getData_page_offset
    val hasOffset = data.isSetDictionary_page_offset && data.getDictionary_page_offset > 0
    val start = if (hasOffset) data.getDictionary_page_offset else firstPage
    val end =
      if (hasOffset && firstPage > start) firstPage else start + data.getTotal_compressed_size
    if (start > 0 && end > start && end <= footerStart) {
      dictionaryOffsets(i) = start
      maxDictionaryBytes(i) = math.min(end - start, Int.MaxValue.toLong).toInt
    }
  }
}

private[parquet] object FooterBuilder {

  /**
   * Returns the number of column chunks. The check precedes all allocations, because few bytes may
   * claim many row groups of many columns.
   */
  private def numChunks(rowGroups: util.List[RowGroup], columns: Int): Int = {
    val groups = rowGroups.iterator
    while (groups.hasNext)
      if (groups.next().getColumns.size != columns)
        throw new UnusableFile("row group without all its columns")
    val size = rowGroups.size.toLong * columns
    if (size > Int.MaxValue / 64) throw new UnusableFile("too many column chunks")
    size.toInt
  }

  /**
   * Returns whether pushed-down literals may be longer than the column's values, so that Spark
   * fails in `ParquetFilters.decimalToByteArray`. Literals of up to 32 bits are pushed down.
   */
  private def isShortDecimal(kind: ColumnType): Boolean = kind match {
    case ColumnType(Physical.FixedBytes(length), Logical.Decimal(_, _)) => length < 4
    case _ => false
  }

  private def isSame(names: util.List[String], path: Seq[String]): Boolean =
    names.size == path.length && path.indices.forall(i => names.get(i) == path(i))

  private def hasDictionary(data: ColumnMetaData): Boolean =
    data.getEncodings.contains(Encoding.PLAIN_DICTIONARY) ||
      data.getEncodings.contains(Encoding.RLE_DICTIONARY)

  /**
   * Returns whether every value of the chunk is in its dictionary, by the rules of parquet-mr's
   * `DictionaryFilter`.
   */
  def isAllDictionary(data: ColumnMetaData): Boolean =
    if (data.isSetEncoding_stats) {
      var pages = 0L
      var others = false
      val stats = data.getEncoding_stats.iterator
      while (stats.hasNext) {
        val entry = stats.next()
        val isData =
          entry.getPage_type == PageType.DATA_PAGE || entry.getPage_type == PageType.DATA_PAGE_V2
        if (isData && isDictionary(entry.getEncoding)) pages += math.max(0, entry.getCount)
        else if (isData) others = true
      }
      pages > 0 && !others
    } else {
      val encodings = data.getEncodings
      encodings.contains(Encoding.PLAIN_DICTIONARY) && {
        val rest = new util.HashSet(encodings)
        rest.remove(Encoding.PLAIN_DICTIONARY)
        rest.remove(Encoding.RLE) // used by levels
        rest.remove(Encoding.BIT_PACKED)
        rest.isEmpty
      }
    }

  private def isDictionary(encoding: Encoding): Boolean =
    encoding == Encoding.PLAIN_DICTIONARY || encoding == Encoding.RLE_DICTIONARY
}
