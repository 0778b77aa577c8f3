package io.sbbf.spark.index

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.spark.index.zones.ZoneOptions
import io.sbbf.spark.util.OptionText

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

  /**
   * Parses a request.
   *
   * @param options `table`, `columns` (a JSON array of names; none for a refresh), `where`,
   *   `dry_run`, and with `columns` those of [[ZoneOptions]]: `kind`, `items`, `fpp`, `from_filters`
   * @throws IllegalArgumentException naming the option that is missing or invalid
   */
  def parse(options: Map[String, String]): IndexRequest = {
    val table =
      options.getOrElse(
        "table",
        throw new IllegalArgumentException("the option table is missing"))
    val isDryRun = options.get("dry_run").exists(OptionText.flag("dry_run", _))
    val where = options.get("where")
    options
      .get("columns")
      .fold(refresh(table, where, isDryRun))(text =>
        create(table, names(text), where, isDryRun, zones(options)))
  }

  private def zones(options: Map[String, String]): Option[Rule] =
    ZoneOptions.of(
      options.get("kind"),
      options.get("items").map(ZoneOptions.items),
      options.get("fpp"),
      options.get("from_filters").exists(OptionText.flag("from_filters", _))
    )

  private def names(text: String): Seq[String] =
    try new ObjectMapper().readTree(text).elements.asScala.map(_.asText).toVector
    catch {
      case _: JsonProcessingException =>
        throw new IllegalArgumentException(
          s"columns must be a JSON array of names, but was '$text'")
    }
}
