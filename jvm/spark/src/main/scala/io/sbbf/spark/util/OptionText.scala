package io.sbbf.spark.util

import java.util.Locale

import io.sbbf.core.bloom.FilterSizing

/**
 * Parses the texts of options and settings. All methods ignore blanks around a text, and throw
 * IllegalArgumentException with the key, the allowed values and the text.
 */
private[spark] object OptionText {

  /** Parses `true` or `false`, in any case. */
  def flag(key: String, text: String): Boolean = text.trim.toLowerCase(Locale.ROOT) match {
    case "true" => true
    case "false" => false
    case _ => refuse(key, text, "true or false")
  }

  /**
   * Parses an FPP.
   *
   * @param more further allowed values, for the message
   */
  def probability(key: String, text: String, more: String = ""): Double = {
    val allowed = s"between 0 and 1, both excluded$more"
    val fpp = number(key, text, allowed)(_.toDouble)
    if (FilterSizing.isFpp(fpp)) fpp else refuse(key, text, allowed)
  }

  /** Parses a whole number of 32 bits. */
  def integer(key: String, text: String): Int =
    number(key, text, "a whole number of at most 2147483647")(_.toInt)

  /** Parses a whole number from `least` to `most`. */
  def count(key: String, text: String, least: Long, most: Long): Long = {
    val allowed = if (most == Long.MaxValue) s"at least $least" else s"from $least to $most"
    val found = number(key, text, allowed)(_.toLong)
    if (found >= least && found <= most) found else refuse(key, text, allowed)
  }

  private def number[T](key: String, text: String, allowed: String)(parse: String => T): T =
    try parse(text.trim)
    catch { case _: NumberFormatException => refuse(key, text, allowed) }

  private def refuse(key: String, text: String, allowed: String): Nothing =
    throw new IllegalArgumentException(s"$key must be $allowed, but was '$text'")
}
