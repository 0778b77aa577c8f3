package io.sbbf.spark.inspect

import java.util.Locale

/**
 * The options of `format("sbbf")`.
 *
 * @param path a table's name, or a file, a folder or a glob pattern of Hadoop
 * @param column the dotted path of one column; None lists every column that has a filter, or is
 *   encrypted with a missing key
 * @param value the value to probe in that column, as text that Spark can cast to the column's
 *   type
 * @param isHex whether `value` is the hexadecimal form of bytes
 */
private[spark] final case class ListingOptions(
    path: String,
    column: Option[String],
    value: Option[String],
    isHex: Boolean) {

  /**
   * Returns the text for plans, logs and the SQL tab, without the value, which may be of an
   * encrypted column.
   */
  override def toString: String =
    (Seq(path) ++ column.map(c => s"column $c") ++ value.map(_ => "value ?")).mkString(", ")
}

private[spark] object ListingOptions {
  private val Known = Seq("path", "column", "value", "value_hex")

  /**
   * Parses the options of a read.
   *
   * @throws IllegalArgumentException naming the option that is unknown, missing or out of place
   */
  def parse(parameters: Map[String, String]): ListingOptions = {
    val options = parameters.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    options.keys.find(key => !Known.exists(_.equalsIgnoreCase(key))).foreach { key =>
      throw new IllegalArgumentException(
        s"format sbbf has no option '$key'; its options are ${Known.mkString(", ")}")
    }
    val (column, plain, hex) =
      (options.get("column"), options.get("value"), options.get("value_hex"))
    require(options.contains("path"), "format sbbf needs a path: load(path)")
    require(
      plain.isEmpty || hex.isEmpty,
      "format sbbf takes one of the options value and value_hex, not both")
    require(
      column.isDefined || (plain.isEmpty && hex.isEmpty),
      "format sbbf needs the option column beside value, to name the column to probe")
    ListingOptions(options("path"), column, plain.orElse(hex), hex.isDefined)
  }
}
