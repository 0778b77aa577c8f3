package io.sbbf.spark.advise

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.spark.util.OptionText

/**
 * A request for advice on the files of a table.
 *
 * @param table a table's name, or a file, a folder or a glob pattern of Hadoop
 * @param columns dotted Parquet paths; all columns if none is named
 * @param fpp the FPP of new filters; None for one that follows the number of row groups
 * @param rowGroups the number of row groups whose values are read
 * @param weight the queries that weigh the columns
 * @param where a condition on partition columns, for files of some partitions alone
 */
private[spark] final case class AdviceRequest(
    table: String,
    columns: Seq[String],
    fpp: Option[Double],
    rowGroups: Int,
    weight: AdviceRequest.Weight,
    where: Option[String] = None)

private[spark] object AdviceRequest {
  sealed trait Weight
  case object Unweighed extends Weight

  /** The queries that the session has planned. */
  case object History extends Weight

  /** The queries of views of the session. */
  final case class Views(names: Seq[String]) extends Weight

  private final val Auto = "auto"
  private final val DefaultRowGroups = 16

  /**
   * The fewest row groups to sample: fewer have too few pairs to show how many values row groups
   * share.
   */
  private final val FewestRowGroups = 4

  private final val MostRowGroups = 1000000

  private val Known = Seq("columns", "fpp", "row_groups", "history", "views", "where")

  /**
   * Parses a request.
   *
   * @param options the optional `columns` (comma-separated names, or a JSON array of them), `fpp` (a number or `auto`), `row_groups` to sample, `where`, and `history`
   *   (`true`) or `views` (comma-separated names); the case of keys is ignored
   * @throws IllegalArgumentException naming the option that is unknown or invalid
   */
  def of(table: String, options: Map[String, String]): AdviceRequest = {
    val own = options.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    options.keys
      .find(key => !Known.contains(key.toLowerCase(Locale.ROOT)))
      .foreach(key =>
        throw new IllegalArgumentException(
          s"'$key' has no effect here: the options are ${Known.mkString(", ")}"))
    AdviceRequest(
      table,
      own.get("columns").fold(Seq.empty[String])(names("columns", _)),
      own.get("fpp").filter(_.trim != Auto).map(OptionText.probability("fpp", _, s", or $Auto")),
      own
        .get("row_groups")
        .fold(DefaultRowGroups)(
          OptionText.count("row_groups", _, FewestRowGroups.toLong, MostRowGroups.toLong).toInt),
      weight(
        own.get("history").exists(OptionText.flag("history", _)),
        own.get("views").map(names("views", _))),
      own.get("where")
    )
  }

  private def weight(history: Boolean, views: Option[Seq[String]]): Weight =
    (history, views) match {
      case (true, Some(_)) =>
        throw new IllegalArgumentException(
          "queries (views) and history cannot both weigh the columns: choose one")
      case (true, None) => History
      case (false, Some(names)) => Views(names)
      case (false, None) => Unweighed
    }

  private def names(key: String, text: String): Seq[String] =
    if (!text.startsWith("[")) text.split(",").toSeq.map(_.trim).filter(_.nonEmpty)
    else
      try new ObjectMapper().readTree(text).elements.asScala.map(_.asText).toSeq
      catch {
        case _: JsonProcessingException =>
          throw new IllegalArgumentException(
            s"$key must be comma-separated names or a JSON array of names")
      }
}
