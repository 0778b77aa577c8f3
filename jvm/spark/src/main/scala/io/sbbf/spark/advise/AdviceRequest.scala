package io.sbbf.spark.advise

import io.sbbf.spark.util.CommandOption.{Table, Where}
import io.sbbf.spark.util.{CommandOption, CommandOptions, OptionText}

/**
 * A request for advice on the files of a table.
 *
 * @param table a table's name, or a file, a folder or a glob pattern of Hadoop
 * @param columns dotted Parquet paths; all columns if none is named
 * @param fpp the FPP of new filters; None for one that follows the number of row groups
 * @param rowGroups the number of row groups whose values are read
 * @param history whether the queries that the session has planned weigh the columns
 * @param views the views of the session whose queries weigh the columns
 * @param where a condition on partition columns, for files of some partitions alone
 */
private[spark] final case class AdviceRequest(
    table: String,
    columns: Seq[String],
    fpp: Option[Double],
    rowGroups: Int,
    history: Boolean,
    views: Option[Seq[String]],
    where: Option[String] = None)

private[spark] object AdviceRequest {
  private final val Auto = "auto"
  private final val DefaultRowGroups = 16

  /**
   * The fewest row groups to sample: fewer have too few pairs to show how many values row groups
   * share.
   */
  private final val FewestRowGroups = 4

  private final val MostRowGroups = 1000000

  private val Columns = CommandOption.names("columns")
  private val Fpp = CommandOption.text(
    "fpp",
    _.filter(_.trim != Auto).map(OptionText.probability("fpp", _, s", or $Auto")))
  private val RowGroups = CommandOption.whole(
    "row_groups",
    _.fold(DefaultRowGroups)(
      OptionText.count("row_groups", _, FewestRowGroups.toLong, MostRowGroups.toLong).toInt))
  private val History = CommandOption.flag("history")
  private val Views = CommandOption.text("views", _.map(CommandOption.listed("views", _)))

  val Options: Seq[CommandOption[_]] =
    Seq(Table, Columns, Fpp, RowGroups, History, Views, Where)

  /** @throws IllegalArgumentException naming the option that is invalid */
  def of(options: CommandOptions): AdviceRequest = {
    val (history, views) = (options(History), options(Views))
    if (history && views.isDefined)
      throw new IllegalArgumentException(
        "queries (views) and history cannot both weigh the columns: choose one")
    AdviceRequest(
      options(Table),
      options(Columns),
      options(Fpp),
      options(RowGroups),
      history,
      views,
      options(Where))
  }
}
