package io.sbbf.parquet
package footer

import scala.util.Try

/**
 * Which statistics of a file are not to be believed, since its writer is known to have got them wrong.
 *
 *   - Arrow C++ ordered decimals in byte arrays as signed bytes until 4.0, when it changed its name for readers to
 *     know (apache/parquet-java#1615). So did ClickHouse, as unsigned ones, until 2025 (ClickHouse#83754), and Polars
 *     still does where it joins pages (pola-rs/polars#29347).
 *   - Of dictionary arrays, and those are of byte arrays, Arrow C++ told no NULLs until 6.0 (apache/arrow#10729) and
 *     the bounds of the first batch alone until 11.0 (apache/arrow#15042).
 *
 * @param decimals whether bounds of decimals in byte arrays are wrong
 * @param bytes whether bounds of byte arrays are
 * @param noNulls whether byte arrays that are told to hold no NULL may hold some
 */
private[parquet] final case class WriterFaults(
    decimals: Boolean,
    bytes: Boolean,
    noNulls: Boolean) {

  def ofBounds(kind: ColumnType): Boolean = kind.keys == KeyKind.Bytes && (kind.logical match {
    case Logical.Decimal(_, _) => decimals
    case _ => bytes && kind.physical == Physical.Bytes
  })

  def ofNulls(kind: ColumnType, nulls: Long): Boolean =
    nulls == 0 && noNulls && kind.physical == Physical.Bytes
}

private[parquet] object WriterFaults {
  private val Believed = WriterFaults(decimals = false, bytes = false, noNulls = false)

  /** @param createdBy as the footer has it */
  def of(createdBy: String): WriterFaults = createdBy match {
    case Version("parquet-cpp version ", _) =>
      WriterFaults(decimals = true, bytes = true, noNulls = true)
    case Version("parquet-cpp-arrow version ", major) =>
      WriterFaults(decimals = false, bytes = major < 11, noNulls = major < 6)
    case Version("ClickHouse v", major) => Believed.copy(decimals = major < 26)
    case Version("Polars", _) => Believed.copy(decimals = true)
    case _ => Believed
  }

  /** A writer's name and its major version, 0 if that is not told. */
  private object Version {
    private val Names =
      Seq("parquet-cpp version ", "parquet-cpp-arrow version ", "ClickHouse v", "Polars")

    def unapply(createdBy: String): Option[(String, Int)] =
      Names.find(createdBy.startsWith).map { name =>
        name -> Try(createdBy.drop(name.length).takeWhile(_.isDigit).toInt).getOrElse(0)
      }
  }
}
