package io.sbbf.spark.index

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.spark.index.zones.ZoneOptions
import io.sbbf.spark.util.CommandOption.{DryRun, Table, Where}
import io.sbbf.spark.util.{CommandOption, CommandOptions}

/**
 * A request to index files that an index does not know yet.
 *
 * @param table a table's name, or the folder of one
 * @param columns the columns to index, as [[io.sbbf.spark.table.NamedFiles]] names them; None for a
 *   refresh of those of the index
 * @param where a condition that selects files, by partition columns or, in Iceberg, by any columns
 * @param isDryRun whether only to estimate the work
 * @param zones how the zones of the columns are filtered; None for an index of keys. A refresh
 *   takes it from the index.
 */
private[spark] final case class IndexRequest(
    table: String,
    columns: Option[Seq[String]],
    where: Option[String],
    isDryRun: Boolean,
    zones: Option[Rule] = None)

private[spark] object IndexRequest {
  private val Columns = CommandOption.names("columns").copy(sqlDefault = None)

  val OptionsOfRefresh: Seq[CommandOption[_]] = Seq(Table, DryRun, Where)
  val OptionsOfCreate: Seq[CommandOption[_]] =
    Seq(Table, Columns, DryRun, Where) ++ ZoneOptions.all

  /** @throws IllegalArgumentException if no column is named, or one is named twice */
  def create(
      table: String,
      columns: Seq[String],
      where: Option[String] = None,
      isDryRun: Boolean = false,
      zones: Option[Rule] = None): IndexRequest = {
    if (columns.isEmpty) throw new IllegalArgumentException("name the columns to index")
    columns
      .diff(columns.distinct)
      .headOption
      .foreach(c => throw new IllegalArgumentException(s"column '$c' is named twice"))
    IndexRequest(table, Some(columns), where, isDryRun, zones)
  }

  def refresh(
      table: String,
      where: Option[String] = None,
      isDryRun: Boolean = false): IndexRequest =
    IndexRequest(table, None, where, isDryRun)

  def refresh(options: CommandOptions): IndexRequest =
    refresh(options(Table), options(Where), options(DryRun))

  /** @throws IllegalArgumentException naming the option that is missing or invalid */
  def create(options: CommandOptions): IndexRequest = create(
    options(Table),
    options(Columns),
    options(Where),
    options(DryRun),
    ZoneOptions.of(options))
}
