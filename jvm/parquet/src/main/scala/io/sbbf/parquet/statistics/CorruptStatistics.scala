package io.sbbf.parquet.statistics

import org.apache.parquet.format.{FileMetaData, KeyValue, Statistics}

import io.sbbf.parquet.model.{ColumnType, KeyKind, Logical, Physical}

/**
 * Lists which statistics of a file are invalid because its writer is known to compute them
 * wrongly.
 *
 *   - Arrow C++ ordered decimals in byte arrays as signed bytes until 4.0, when it changed its
 *     writer name so that readers can identify such files (apache/parquet-java#1615).
 *   - ClickHouse until late in 2025 (ClickHouse#83754), parquet-go until 0.32
 *     (parquet-go/parquet-go#592), arrow-rs until 12 (apache/arrow-rs#1532) and Polars where it
 *     joins pages (pola-rs/polars#29347) ordered them as unsigned bytes.
 *   - For dictionary arrays, which are byte arrays, Arrow C++ recorded zero NULLs until 6.0
 *     (apache/arrow#10729) and only the bounds of the first batch until 11.0
 *     (apache/arrow#15042). Polars recorded zero NULLs for them until 0.20.14. Before that,
 *     Arrow2 did so for dictionary arrays of any type (jorgecarleitao/arrow2#1414).
 *   - fastparquet writes categories as dictionaries, and computes bounds by the order in which
 *     the categories were given, not by their values.
 *   - Parquet.Net writes the bounds of all timestamps in milliseconds
 *     (aloneguid/parquet-dotnet#769).
 *   - Polars counted the NULLs of a chunk once for each page (pola-rs/polars#29321).
 *   - If ClickHouse omitted a bound that was too long, pages have an empty bound
 *     (ClickHouse#103039).
 *
 * @param decimals whether bounds of decimals in byte arrays are wrong
 * @param bytes whether bounds of byte arrays are wrong
 * @param dictionaries whether bounds of chunks with dictionaries are wrong
 * @param timestamps whether bounds of timestamps are wrong
 * @param noNulls whether byte arrays with a null count of zero may hold NULLs
 * @param noNullsOfAny whether columns of any type with a null count of zero may hold NULLs
 * @param allNulls whether chunks whose null count includes all values may hold values that are
 *   not NULL
 * @param pages whether pages of byte arrays may have wrong bounds if one of the chunk's bounds is
 *   missing
 * @param noOrder whether bounds are doubtful if the footer does not record their order.
 *   parquet-mr assumes the order of the type. Some writers that record no order computed bounds
 *   wrongly, and some are known to compute them right.
 * @param leavesOutNaN whether bounds of floating-point columns may leave out NaN (parquet-mr 1.10
 *   to 1.17 writes it as the maximum, which readers then ignore: PARQUET-1246, PARQUET-2249)
 * @param nestedNulls whether null counts of a struct's fields may leave out the rows in which the
 *   struct is NULL, as in files of cuDF (NVIDIA/cudf#12938) and Polars (pola-rs/polars#20621)
 * @param filtersOfDictionaries whether bloom filters of chunks with a dictionary may lack values that
 *   a dictionary array passed to the writer (apache/arrow-go#1164)
 */
private[parquet] final case class CorruptStatistics(
    decimals: Boolean = false,
    bytes: Boolean = false,
    dictionaries: Boolean = false,
    timestamps: Boolean = false,
    noNulls: Boolean = false,
    noNullsOfAny: Boolean = false,
    allNulls: Boolean = false,
    pages: Boolean = false,
    noOrder: Boolean = true,
    leavesOutNaN: Boolean = true,
    nestedNulls: Boolean = true,
    filtersOfDictionaries: Boolean = false) {

  /** Combines the faults of two writers, of which one copied what the other wrote. */
  def or(other: CorruptStatistics): CorruptStatistics = CorruptStatistics(
    decimals || other.decimals,
    bytes || other.bytes,
    dictionaries || other.dictionaries,
    timestamps || other.timestamps,
    noNulls || other.noNulls,
    noNullsOfAny || other.noNullsOfAny,
    allNulls || other.allNulls,
    pages || other.pages,
    noOrder || other.noOrder,
    leavesOutNaN || other.leavesOutNaN,
    nestedNulls || other.nestedNulls,
    filtersOfDictionaries || other.filtersOfDictionaries
  )

  /**
   * Returns whether bounds of a column of this type are wrong.
   *
   * @param hasDictionary whether the chunk has a dictionary; evaluated only where it matters
   */
  def ofBounds(kind: ColumnType, hasDictionary: => Boolean): Boolean =
    dictionaries && hasDictionary || (kind.logical match {
      case Logical.Decimal(_, _) => decimals && kind.keys == KeyKind.Bytes
      case Logical.Timestamp(_, _, _) => timestamps
      case _ => bytes && kind.keys == KeyKind.Bytes && kind.physical == Physical.Bytes
    })

  /**
   * Returns whether this null count may be wrong.
   *
   * @param values the number of values of the chunk, including its NULLs
   */
  def ofNulls(kind: ColumnType, nulls: Long, values: Long): Boolean =
    if (nulls == 0) noNullsOfAny || noNulls && kind.physical == Physical.Bytes
    else allNulls && nulls == values

  def ofPages(kind: ColumnType, statistics: Statistics): Boolean =
    pages && kind.physical == Physical.Bytes &&
      statistics.isSetMin_value != statistics.isSetMax_value
}

private[parquet] object CorruptStatistics {

  /**
   * Matches a name, and usually a major and a minor version. A file without a version may be of
   * any.
   */
  private val Writer = raw"(?s)(\S+)(?:(?: version)? v?(\d{1,6})(?:\.(\d{1,6}))?)?.*".r

  /** The key under which `ParquetRewriter` names the writers of what it copied, one per line. */
  private val Copied = "original.created.by"

  /**
   * Returns the faults of a file, including those of the column chunks and statistics that
   * parquet-mr's `ParquetRewriter` copied. `ParquetFileWriter.appendFile` copies them without a
   * trace. So parquet-mr's bounds certainly count NaN only in files of Spark, whose key-value
   * metadata such tools keep.
   */
  def of(metadata: FileMetaData): CorruptStatistics = {
    val entries = Option(metadata.getKey_value_metadata)
      .fold(Seq.empty[KeyValue])(list => (0 until list.size).map(list.get))
    def has(key: String): Boolean = entries.exists(_.getKey == key)
    val copied = entries
      .filter(_.getKey == Copied)
      .flatMap(entry => Option(entry.getValue).getOrElse("").split('\n'))
    val writers = Option(metadata.getCreated_by).getOrElse("") +: copied
    val isOfSpark = has("org.apache.spark.version") && !has("ARROW:schema") && !has(Copied)
    val faults = writers.map(of).reduce(_ or _)
    faults.copy(leavesOutNaN = faults.leavesOutNaN || !isOfSpark)
  }

  /**
   * Returns the faults of one writer.
   *
   * @param createdBy the writer's name and usually a version, as in the footer
   */
  def of(createdBy: String): CorruptStatistics = createdBy match {
    case Writer(name, major, minor) => of(name, number(major), number(minor))
    case _ => CorruptStatistics()
  }

  private def of(name: String, major: Int, minor: Int): CorruptStatistics = name match {
    case "parquet-mr" =>
      val isRecent = major == 1 && minor >= 10
      CorruptStatistics(leavesOutNaN = !isRecent || minor > 17, nestedNulls = !isRecent)
    case "parquet-cpp" => CorruptStatistics(decimals = true, bytes = true, noNulls = true)
    case "parquet-cpp-arrow" =>
      CorruptStatistics(bytes = major < 11, noNulls = major < 6, nestedNulls = major < 6)
    case "ClickHouse" => CorruptStatistics(decimals = major < 26, pages = true)
    case "Polars" =>
      CorruptStatistics(decimals = true, noNulls = true, allNulls = true, noOrder = false)
    case "Arrow2" => CorruptStatistics(noNullsOfAny = true)
    case "parquet-rs" =>
      CorruptStatistics(decimals = major < 13, noOrder = major < 13, nestedNulls = false)
    case "DuckDB" | "datafusion" | "delta-rs" =>
      CorruptStatistics(noOrder = false, nestedNulls = false)
    // its statistics are those of parquet-mr
    case "parquet-mr-trino" => CorruptStatistics(noOrder = false)
    // in the order of its types; bounds of decimals were never compared with their values
    case "QuestDB" => CorruptStatistics(decimals = true, noOrder = false)
    case "github.com/parquet-go/parquet-go" =>
      CorruptStatistics(decimals = major == 0 && minor < 33)
    // the name of arrow-go
    case "parquet-go" => CorruptStatistics(filtersOfDictionaries = true)
    case "github.com/segmentio/parquet-go" => CorruptStatistics(decimals = true)
    case "fastparquet-python" => CorruptStatistics(dictionaries = true)
    case "Parquet.Net" => CorruptStatistics(timestamps = true)
    case _ => CorruptStatistics()
  }

  private def number(part: String): Int = Option(part).fold(0)(_.toInt)
}
