package io.sbbf.parquet.statistics

import org.apache.parquet.format.{FileMetaData, KeyValue, Statistics}

import io.sbbf.parquet.model.{ColumnType, KeyKind, Logical, Physical}

/**
 * Which statistics of a file are not to be believed, since its writer is known to have got them wrong.
 *
 *   - Arrow C++ ordered decimals in byte arrays as signed bytes until 4.0, when it changed its name for readers to
 *     know (apache/parquet-java#1615). So did, as unsigned ones, ClickHouse until late in 2025 (ClickHouse#83754),
 *     parquet-go until 0.32 (parquet-go/parquet-go#592), arrow-rs until 12 (apache/arrow-rs#1532) and Polars where it
 *     joins pages (pola-rs/polars#29347).
 *   - Of dictionary arrays, and those are of byte arrays, Arrow C++ told no NULLs until 6.0 (apache/arrow#10729) and
 *     the bounds of the first batch alone until 11.0 (apache/arrow#15042). Polars told no NULLs of them until 0.20.14,
 *     nor did Arrow2 before, and of those of any other type (jorgecarleitao/arrow2#1414).
 *   - fastparquet orders categories as they were given, not as they compare, and they are its dictionaries.
 *   - Parquet.Net writes the bounds of all timestamps in milliseconds (aloneguid/parquet-dotnet#769).
 *   - Polars counted the NULLs of a chunk once for each page (pola-rs/polars#29321).
 *   - Where ClickHouse left out a bound that was too long, pages have an empty one (ClickHouse#103039).
 *
 * @param decimals whether bounds of decimals in byte arrays are wrong
 * @param bytes whether bounds of byte arrays are
 * @param dictionaries whether bounds of chunks with dictionaries are
 * @param timestamps whether bounds of timestamps are
 * @param noNulls whether byte arrays that are told to hold no NULL may hold some
 * @param noNullsOfAny whether that goes for all types
 * @param allNulls whether chunks that are told to hold nothing but NULLs may hold values
 * @param pages whether pages of byte arrays may have wrong bounds where one of the chunk's is missing
 * @param noOrder whether bounds are to be doubted of which the footer does not tell the order, and which parquet-mr
 *   takes for those of the type's: some of those that tell none got them wrong, and some are known to be right
 * @param leavesOutNaN whether bounds of floating-point columns may leave out NaN (parquet-mr 1.10 to 1.17 writes it as
 *   the maximum, which readers then ignore: PARQUET-1246, PARQUET-2249)
 * @param nestedNulls whether null counts of a struct's fields may leave out the rows in which the struct is NULL, as
 *   cuDF's did (NVIDIA/cudf#12938) and Polars' (pola-rs/polars#20621)
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
    nestedNulls: Boolean = true) {

  /** Those of two writers, of which one copied what the other wrote. */
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
    nestedNulls || other.nestedNulls
  )

  /** @param hasDictionary asked only where it matters */
  def ofBounds(kind: ColumnType, hasDictionary: => Boolean): Boolean =
    dictionaries && hasDictionary || (kind.logical match {
      case Logical.Decimal(_, _) => decimals && kind.keys == KeyKind.Bytes
      case Logical.Timestamp(_, _, _) => timestamps
      case _ => bytes && kind.keys == KeyKind.Bytes && kind.physical == Physical.Bytes
    })

  /** @param values of the chunk, with its NULLs */
  def ofNulls(kind: ColumnType, nulls: Long, values: Long): Boolean =
    if (nulls == 0) noNullsOfAny || noNulls && kind.physical == Physical.Bytes
    else allNulls && nulls == values

  def ofPages(kind: ColumnType, statistics: Statistics): Boolean =
    pages && kind.physical == Physical.Bytes &&
      statistics.isSetMin_value != statistics.isSetMax_value
}

private[parquet] object CorruptStatistics {

  /** A name, and mostly a major and a minor version; one of which none is told may be any. */
  private val Writer = raw"(?s)(\S+)(?:(?: version)? v?(\d{1,6})(?:\.(\d{1,6}))?)?.*".r

  /** Under which `ParquetRewriter` names the writers of what it copied, each in a line. */
  private val Copied = "original.created.by"

  /**
   * Those of a file, also where parquet-mr's `ParquetRewriter` copied column chunks and their statistics. `ParquetFileWriter.appendFile` copies them without a trace, so that parquet-mr's bounds count
   * NaN for certain only in files of Spark, whose key and values such tools keep.
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

  /** @param createdBy as the footer has it, the writer's name and mostly a version */
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
    case "github.com/parquet-go/parquet-go" =>
      CorruptStatistics(decimals = major == 0 && minor < 33)
    case "github.com/segmentio/parquet-go" => CorruptStatistics(decimals = true)
    case "fastparquet-python" => CorruptStatistics(dictionaries = true)
    case "Parquet.Net" => CorruptStatistics(timestamps = true)
    case _ => CorruptStatistics()
  }

  private def number(part: String): Int = Option(part).fold(0)(_.toInt)
}
