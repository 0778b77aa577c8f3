package io.sbbf.core.predicate

import java.util.Locale

import scala.util.Try

import io.sbbf.core.predicate.KeyFunction.NGrams

/**
 * What an index has keys of: the values of a column, or a function of them.
 *
 * @param function None for the values
 */
final case class KeyedColumn(column: String, function: Option[KeyFunction]) {

  /** The canonical text, by which an index names it. */
  def name: String = function.fold(column)(_.of(column))
}

object KeyedColumn {
  private val Call = """\s*([A-Za-z_]\w*)\s*\(\s*(.*\S)\s*\)\s*""".r
  private val WithNumber = """(.*\S)\s*,\s*(-?\d+)""".r

  /** Returns what a text names, such as `user_id` or `ngrams(message, 8)`, or why it is invalid. */
  def parse(text: String): Either[String, KeyedColumn] = text match {
    case Call(name, arguments) =>
      (name.toLowerCase(Locale.ROOT), arguments) match {
        case ("lower", column) => Right(KeyedColumn(column, Some(KeyFunction.Lower)))
        case ("tokens", column) => Right(KeyedColumn(column, Some(KeyFunction.Tokens)))
        case ("ngrams", WithNumber(column, size)) =>
          sizeOf(text, size).map(n => KeyedColumn(column, Some(NGrams(n))))
        case ("ngrams", _) => Left(s"'$text' lacks the length of the grams: ngrams(column, 8)")
        case _ =>
          Left(
            s"'$text' has the unknown function '$name': an index knows lower(column), " +
              "tokens(column) and ngrams(column, n)")
      }
    case column => Right(KeyedColumn(column, None))
  }

  private def sizeOf(text: String, size: String): Either[String, Int] =
    Try(size.toInt).toOption
      .filter(n => n >= NGrams.Shortest && n <= NGrams.Longest)
      .toRight(
        s"'$text' must have grams of ${NGrams.Shortest} to ${NGrams.Longest} bytes: shorter ones " +
          "are in nearly every row group, so that they rule out none, and each costs an entry there")
}
