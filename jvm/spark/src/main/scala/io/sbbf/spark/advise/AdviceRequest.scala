package io.sbbf.spark.advise

import io.sbbf.core.ColumnPath
import io.sbbf.spark.write.FilterOptions

/**
 * What somebody wants to know of the files under a path.
 *
 * @param path a file, a folder or a pattern of Hadoop's
 * @param columns dotted Parquet paths; all columns where none is named
 * @param fpp of the filters that may be advised; None for one that follows the number of row groups
 * @param rowGroups whose values are read
 * @param lookups how often queries ask for values of columns; None where nobody has told
 */
private[spark] final case class AdviceRequest(
    path: String,
    columns: Seq[String],
    fpp: Option[Double],
    rowGroups: Int,
    lookups: Option[Map[ColumnPath, Long]])

private[spark] object AdviceRequest {
  private final val Auto = "auto"
  private final val DefaultRowGroups = 16

  /** Two tell how much row groups have in common. */
  private final val FewestRowGroups = 2

  private val Known = Seq("path", "fpp", "row_groups")

  /**
   * @param options `path`, and where they are told `fpp` (a number or `auto`), `row_groups` to sample, and the
   *   settings that name columns as those of a job that writes do ([[FilterOptions]])
   * @throws IllegalArgumentException naming the option that is unknown or wrong
   */
  def parse(
      options: Map[String, String],
      lookups: Option[Map[ColumnPath, Long]]): AdviceRequest = {
    val (own, settings) = options.partition { case (key, _) => Known.contains(key) }
    val columns = FilterOptions.of(settings)
    columns.idle.headOption.foreach(key =>
      throw new IllegalArgumentException(
        s"'$key' says nothing here: there are ${Known.mkString(", ")}"))
    AdviceRequest(
      own.getOrElse("path", throw new IllegalArgumentException("name the path of the files")),
      columns.named,
      own.get("fpp").filter(_ != Auto).map(probability),
      own.get("row_groups").fold(DefaultRowGroups)(count),
      lookups
    )
  }

  private def probability(text: String): Double =
    parsed(text, "fpp", s"between 0 and 1, both excluded, or $Auto")(_.toDouble)(fpp =>
      fpp > 0 && fpp < 1)

  private def count(text: String): Int =
    parsed(text, "row_groups", s"at least $FewestRowGroups")(_.toInt)(_ >= FewestRowGroups)

  private def parsed[T](text: String, name: String, allowed: String)(parse: String => T)(
      isRight: T => Boolean): T =
    try {
      val value = parse(text)
      require(isRight(value))
      value
    } catch {
      case _: IllegalArgumentException =>
        throw new IllegalArgumentException(s"$name must be $allowed, but was '$text'")
    }
}
