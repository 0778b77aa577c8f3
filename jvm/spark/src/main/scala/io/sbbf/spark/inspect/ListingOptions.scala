package io.sbbf.spark.inspect

import java.util.Locale

/**
 * What to list.
 *
 * @param column dotted path of one column; None lists every column that has a filter, or is encrypted with a key
 *   that is not at hand
 * @param value what to ask of that column, as text that Spark can cast to the column's type
 * @param isHex whether `value` is the hexadecimal form of bytes
 */
private[spark] final case class ListingOptions(
    path: String,
    column: Option[String],
    value: Option[String],
    isHex: Boolean) {

  /** As plans, logs and the SQL tab show it: without the value, which may be of an encrypted column. */
  override def toString: String =
    (Seq(path) ++ column.map(c => s"column $c") ++ value.map(_ => "value ?")).mkString(", ")
}

private[spark] object ListingOptions {
  private val Known = Seq("path", "column", "value", "valueHex")

  /** Throws IllegalArgumentException that names the option which is unknown, missing or out of place. */
  def parse(parameters: Map[String, String]): ListingOptions = {
    val options = parameters.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    options.keys.find(key => !Known.exists(_.equalsIgnoreCase(key))).foreach { key =>
      throw new IllegalArgumentException(
        s"format sbbf has no option '$key'; it has ${Known.mkString(", ")}")
    }
    val (column, plain, hex) =
      (options.get("column"), options.get("value"), options.get("valuehex"))
    require(options.contains("path"), "format sbbf needs a path: load(path)")
    require(
      plain.isEmpty || hex.isEmpty,
      "format sbbf takes one of the options value and valueHex, not both")
    require(
      column.isDefined || (plain.isEmpty && hex.isEmpty),
      "format sbbf needs the option column beside value, to know which column is asked")
    ListingOptions(options("path"), column, plain.orElse(hex), hex.isDefined)
  }
}
