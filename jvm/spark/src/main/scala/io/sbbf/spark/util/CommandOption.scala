package io.sbbf.spark.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types._

/**
 * An option of a command or of a read, which SQL, Python and the command line pass as text.
 *
 * @param sqlType the type of its argument in SQL
 * @param sqlDefault the argument's default in SQL; None if the option must be given
 * @param parse reads the text, None if the option is not given. It throws IllegalArgumentException
 *   with the name, the allowed values and the text.
 */
private[spark] final case class CommandOption[T](
    name: String,
    sqlType: DataType,
    sqlDefault: Option[String],
    parse: Option[String] => T)

private[spark] object CommandOption {
  private val json = new ObjectMapper

  /** A table's name, or a path. */
  val Table: CommandOption[String] = CommandOption(
    "table",
    StringType,
    None,
    _.getOrElse(throw new IllegalArgumentException("the option table is missing")))

  /** A condition that selects files, by partition columns or, in Iceberg, by any columns. */
  val Where: CommandOption[Option[String]] = text("where")

  /** Whether only to estimate the work. */
  val DryRun: CommandOption[Boolean] = flag("dry_run")

  def text(name: String): CommandOption[Option[String]] = text(name, identity)

  def text[T](name: String, parse: Option[String] => T): CommandOption[T] =
    CommandOption(name, StringType, Some("CAST(NULL AS STRING)"), parse)

  def whole[T](name: String, parse: Option[String] => T): CommandOption[T] =
    CommandOption(name, IntegerType, Some("CAST(NULL AS INT)"), parse)

  /** A flag, false unless it is given. */
  def flag(name: String): CommandOption[Boolean] =
    CommandOption(name, BooleanType, Some("false"), _.exists(OptionText.flag(name, _)))

  /** Names, as a JSON array or separated by commas. */
  def names(name: String): CommandOption[Seq[String]] = CommandOption(
    name,
    ArrayType(StringType),
    Some("CAST(array() AS ARRAY<STRING>)"),
    _.fold(Seq.empty[String])(listed(name, _)))

  /** Returns the names in the text of an option. */
  def listed(name: String, text: String): Seq[String] =
    if (text.startsWith("["))
      read(text, s"$name must be comma-separated names or a JSON array of names").elements.asScala
        .map(_.asText)
        .toVector
    else text.split(",").toVector.map(_.trim).filter(_.nonEmpty)

  /** Settings, as a JSON object of texts. */
  def settings(name: String): CommandOption[Map[String, String]] = CommandOption(
    name,
    MapType(StringType, StringType),
    Some("CAST(map() AS MAP<STRING, STRING>)"),
    _.fold(Map.empty[String, String])(text =>
      texts(read(text, s"$name must be a JSON object of texts")))
  )

  /** Returns the entries of a JSON object: a text as it is, and anything else as JSON. */
  def texts(tree: JsonNode): Map[String, String] =
    tree.fieldNames.asScala.map { name =>
      val value = tree.get(name)
      name -> (if (value.isTextual) value.asText else value.toString)
    }.toMap

  private def read(text: String, otherwise: String): JsonNode =
    try json.readTree(text)
    catch { case _: JsonProcessingException => throw new IllegalArgumentException(otherwise) }
}
