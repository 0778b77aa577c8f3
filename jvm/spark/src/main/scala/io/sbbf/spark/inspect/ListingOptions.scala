package io.sbbf.spark.inspect

import io.sbbf.spark.util.CommandOption.Where
import io.sbbf.spark.util.{CommandOption, CommandOptions}

/**
 * The options of `format("sbbf")`.
 *
 * @param path a table's name, or a file, a folder or a glob pattern of Hadoop
 * @param column the dotted path of one column; None lists every column that has a filter, or is
 *   encrypted with a missing key
 * @param value the value to probe in that column, as text that Spark can cast to the column's
 *   type
 * @param isHex whether `value` is the hexadecimal form of bytes
 * @param keys the table or view whose one column has the keys to probe in that column
 * @param where a condition on partition columns, for files of some partitions alone
 */
private[spark] final case class ListingOptions(
    path: String,
    column: Option[String],
    value: Option[String],
    isHex: Boolean,
    keys: Option[String],
    where: Option[String]) {

  /** Whether the type of the column has to be known. */
  def needsType: Boolean = value.isDefined || keys.isDefined

  /**
   * Returns the text for plans, logs and the SQL tab, without values, which may be of an encrypted
   * column.
   */
  override def toString: String =
    (Seq(path) ++ column.map(c => s"column $c") ++ value.map(_ => "value ?") ++
      keys.map(k => s"keys $k") ++ where.map(_ => "where ?")).mkString(", ")
}

private[spark] object ListingOptions {
  private val Path = CommandOption.text("path")
  private val Column = CommandOption.text("column")
  private val Plain = CommandOption.text("value")
  private val Hex = CommandOption.text("value_hex")
  private val Keys = CommandOption.text("keys")
  private val All = Seq(Path, Column, Plain, Hex, Keys, Where)

  /**
   * Parses the options of a read.
   *
   * @throws IllegalArgumentException naming the option that is unknown, missing or out of place
   */
  def parse(parameters: Map[String, String]): ListingOptions = {
    val options = CommandOptions.of("format sbbf", All, parameters)
    val (column, plain, hex, keys) =
      (options(Column), options(Plain), options(Hex), options(Keys))
    val (path, value) = (options(Path), plain.orElse(hex))
    check(path.isDefined, "format sbbf needs a path: load(path)")
    check(
      plain.isEmpty || hex.isEmpty,
      "format sbbf takes one of the options value and value_hex, not both")
    check(value.isEmpty || keys.isEmpty, "format sbbf takes a value or the option keys, not both")
    check(
      column.isDefined || (value.isEmpty && keys.isEmpty),
      "format sbbf needs the option column beside value or keys, to name the column to probe")
    ListingOptions(path.get, column, value, hex.isDefined, keys, options(Where))
  }

  private def check(isValid: Boolean, otherwise: String): Unit =
    if (!isValid) throw new IllegalArgumentException(otherwise)
}
