package io.sbbf.spark.index

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.spark.util.OptionText

/**
 * A request to index files that an index does not know yet.
 *
 * @param table a table's name, or the folder of one
 * @param columns the columns to index, as [[io.sbbf.spark.table.NamedFiles]] names them; None for a
 *   refresh of those of the index
 * @param where a condition that selects files, by partition columns or, in Iceberg, by any columns
 * @param isDryRun whether only to estimate the work
 */
private[spark] final case class IndexRequest(
    table: String,
    columns: Option[Seq[String]],
    where: Option[String],
    isDryRun: Boolean)

private[spark] object IndexRequest {

  /** @throws IllegalArgumentException if no column is named, or one is named twice */
  def create(
      table: String,
      columns: Seq[String],
      where: Option[String] = None,
      isDryRun: Boolean = false): IndexRequest = {
    if (columns.isEmpty) throw new IllegalArgumentException("name the columns to index")
    columns
      .diff(columns.distinct)
      .headOption
      .foreach(c => throw new IllegalArgumentException(s"column '$c' is named twice"))
    IndexRequest(table, Some(columns), where, isDryRun)
  }

  def refresh(
      table: String,
      where: Option[String] = None,
      isDryRun: Boolean = false): IndexRequest =
    IndexRequest(table, None, where, isDryRun)

  /**
   * Parses a request.
   *
   * @param options `table`, `columns` (a JSON array of names; none for a refresh), `where` and `dry_run`
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
      .fold(refresh(table, where, isDryRun))(text => create(table, names(text), where, isDryRun))
  }

  private def names(text: String): Seq[String] =
    try new ObjectMapper().readTree(text).elements.asScala.map(_.asText).toVector
    catch {
      case _: JsonProcessingException =>
        throw new IllegalArgumentException(
          s"columns must be a JSON array of names, but was '$text'")
    }
}
