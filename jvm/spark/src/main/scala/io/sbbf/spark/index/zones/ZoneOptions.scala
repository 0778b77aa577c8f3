package io.sbbf.spark.index.zones

import scala.util.Try

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.index.format.IndexedColumn.{Bloom, Keys}
import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.spark.util.{CommandOption, CommandOptions}

/** The options of `create_index` that choose the kind of the index. */
private[spark] object ZoneOptions {

  /** The defaults of Lance. */
  private final val LanceItems = 8192
  private final val LanceFpp = 0.00057

  private val Kind =
    CommandOption.text("kind", _.getOrElse(Keys)).copy(sqlDefault = Some(s"'$Keys'"))

  /** The rows of a zone, at most; 0 for a whole row group. */
  private val Items = CommandOption.whole("items", _.map(number))

  private val Fpp = CommandOption.text("fpp")

  /** Whether the filters are those of the files. */
  private val FromFilters = CommandOption.flag("from_filters")

  val all: Seq[CommandOption[_]] = Seq(Kind, Items, Fpp, FromFilters)

  /**
   * Returns how zones are cut and filtered; None for an index of keys.
   *
   * @throws IllegalArgumentException naming the option that is invalid
   */
  def of(options: CommandOptions): Option[Rule] = {
    val (items, fpp, fromFilters) = (options(Items), options(Fpp), options(FromFilters))
    options(Kind) match {
      case Keys =>
        (named(items, fpp) ++ Seq("from_filters").filter(_ => fromFilters)).headOption
          .foreach(name => refuse(s"$name needs kind '$Bloom'"))
        None
      case Bloom if fromFilters =>
        named(items.filter(_ != 0), fpp).headOption
          .foreach(name => refuse(s"$name does not apply to filters of the files (from_filters)"))
        Some(Rule(items = 0, fpp = 0.0, fromFilters = true))
      case Bloom => Some(Rule(checkItems(items), checkFpp(fpp), fromFilters = false))
      case other => refuse(s"kind must be '$Keys' or '$Bloom', but was '$other'")
    }
  }

  private def named(items: Option[Int], fpp: Option[String]): Seq[String] =
    items.map(_ => "items").toSeq ++ fpp.map(_ => "fpp")

  private def number(text: String): Int =
    Try(text.toInt).getOrElse(refuse(s"items must be a whole number, but was '$text'"))

  private def checkItems(items: Option[Int]): Int = {
    val found = items.getOrElse(LanceItems)
    if (found < 0) refuse(s"items must be at least 0, but was $found")
    found
  }

  private def checkFpp(text: Option[String]): Double =
    text.fold(LanceFpp) { number =>
      Try(number.toDouble)
        .filter(FilterSizing.isFpp)
        .getOrElse(refuse(s"fpp must be between 0 and 1, both excluded, but was '$number'"))
    }

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(why)
}
