package io.sbbf.spark.write

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetOutputFormat.{
  BLOOM_FILTER_ENABLED,
  BLOOM_FILTER_EXPECTED_NDV,
  BLOOM_FILTER_FPP,
  BLOOM_FILTER_MAX_BYTES
}
import org.apache.parquet.schema.MessageType

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.values.ValueKind
import io.sbbf.parquet.write.FilterRequest

/**
 * What a job's settings say of bloom filters, in parquet-mr's own words (its README for
 * `parquet.bloom.filter.*`): `enabled`, for all columns or, with `#column` behind it, for one;
 * `fpp#column`; `expected.ndv#column`, the most distinct values of a row group that a filter is
 * made for, which asks for a filter as well (`ParquetProperties.withBloomFilterNDV`); `max.bytes`,
 * for all. Those that parquet-mr does not know begin with `sbbf.`: `fpp`, which may also be `auto`,
 * `min.ndv` and `dictionary`, each for all columns or for one; and `auto`, which asks for filters of
 * all columns whose type is that of keys ([[ValueKind.isKey]]), in row groups with many distinct
 * values that are not all in a dictionary.
 */
private[spark] final class FilterOptions private (settings: Map[String, String])
    extends Serializable {
  import FilterOptions._

  /** Whether no column gets a filter. An invalid value of `auto` counts as a request: [[requests]] refuses it. */
  def isEmpty: Boolean =
    settings.get(Auto).forall(_.trim.equalsIgnoreCase("false")) &&
      !settings.exists { case (key, value) => isAsking(key, value) }

  private def isAuto: Boolean = settings.get(Auto).exists(flag(Auto, _))

  /** Whether some FPP is by the row groups of the table. */
  def needsTableSize: Boolean = settings.exists { case (key, value) =>
    (key == OurFpp || key.startsWith(s"$OurFpp#")) && value == AutoFpp
  }

  /** The columns that are named, in the order of the alphabet. */
  def columns: Seq[String] =
    settings.toSeq
      .collect { case (key, value) if isAsking(key, value) => key }
      .map(columnOf)
      .filter(_.nonEmpty)
      .distinct
      .sorted

  /** The keys that say nothing: unknown ones, and those of columns that get no filter. */
  def unusedKeys: Seq[String] = settings.keys.toSeq.sorted.filterNot { key =>
    val (name, column) = key.span(_ != '#')
    if (column.isEmpty) OfAll.contains(name)
    else OfOne.contains(name) && columns.contains(column.drop(1))
  }

  /**
   * With columns as the file spells them: the options of a table come in small letters from Spark's
   * `CaseInsensitiveMap`. A name that only differs so from one column's, and is no column's own, is that one's.
   */
  def spelledAs(schema: MessageType): FilterOptions = {
    val columns = schema.getColumns.asScala.map(_.getPath.mkString(".")).toSeq
    val inSmall = columns.groupBy(_.toLowerCase(Locale.ROOT))
    val (known, others) = settings.partition { case (key, _) => columns.contains(columnOf(key)) }
    val found = others.map { case (key, value) =>
      inSmall.get(columnOf(key)) match {
        case Some(Seq(only)) => s"${key.takeWhile(_ != '#')}#$only" -> value
        case _ => key -> value
      }
    }
    new FilterOptions(found ++ known)
  }

  /** The columns that are named and that the file does not have. */
  def unknown(schema: MessageType): Seq[String] =
    columns.diff(schema.getColumns.asScala.map(_.getPath.mkString(".")))

  /**
   * The filters of a file; columns of types without a hash get none.
   *
   * @param rowGroups of the table that the file will belong to, for an FPP of `auto`
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  def requests(schema: MessageType, rowGroups: => Long): Seq[FilterRequest] = {
    lazy val chosenFpp = autoFpp(rowGroups)
    val choosesColumns = isAuto
    for {
      (column, number) <- schema.getColumns.asScala.toSeq.zipWithIndex
      path = column.getPath.mkString(".")
      isNamed = isWanted(path)
      if isNamed || choosesColumns && !isRefused(path) && ValueKind.isKey(column.getPrimitiveType)
      kind <- ValueKind.of(column.getPrimitiveType)
    } yield {
      val stated = own(OurFpp, path)
        .map(s"$OurFpp#$path" -> _)
        .orElse(own(BLOOM_FILTER_FPP, path).map(s"$BLOOM_FILTER_FPP#$path" -> _))
        .orElse(settings.get(OurFpp).map(OurFpp -> _))
      val fpp = stated.fold(DefaultFpp) {
        case (key, AutoFpp) if key.startsWith(OurFpp) => chosenFpp
        case (key, text) => probability(key, text)
      }
      val ndv = own(BLOOM_FILTER_EXPECTED_NDV, path)
        .map(count(s"$BLOOM_FILTER_EXPECTED_NDV#$path", _, Long.MaxValue))
      val minNdv = settingOf(FewestNdv, path)
        .fold(if (isNamed) 1L else AutoNdv) { case (key, text) =>
          count(key, text, FilterRequest.MostCounted)
        }
      val withDictionary =
        settingOf(BesideDictionary, path).fold(isNamed) { case (key, text) => flag(key, text) }
      val largest = FilterRequest.maxBytes(fpp, ndv, maxBytes)
      FilterRequest(number, kind, fpp, largest, minNdv.toInt, withDictionary)
    }
  }

  private def isRefused(path: String): Boolean = own(Enabled, path).exists(!isTrue(_))

  private def isWanted(path: String): Boolean =
    own(BLOOM_FILTER_EXPECTED_NDV, path).isDefined || settingOf(Enabled, path).exists {
      case (_, text) => isTrue(text)
    }

  /** Taken as parquet-mr takes it (`BlockSplitBloomFilter.initBitset`): up to a power of two. */
  private def maxBytes: Option[Int] = settings.get(BLOOM_FILTER_MAX_BYTES).map { text =>
    val bytes = number(BLOOM_FILTER_MAX_BYTES, text)(_.toInt)
    val within = math.max(FilterSizing.MinBytes, math.min(FilterSizing.MaxBytes, bytes))
    val below = Integer.highestOneBit(within)
    if (below == within) below else 2 * below
  }

  private def own(key: String, path: String): Option[String] = settings.get(s"$key#$path")

  /** A column's own, or that of all, with its key. */
  private def settingOf(key: String, path: String): Option[(String, String)] =
    Seq(s"$key#$path", key).collectFirst { case k if settings.contains(k) => k -> settings(k) }

  private def probability(key: String, text: String): Double = {
    val fpp = number(key, text)(_.toDouble)
    if (!(fpp > 0 && fpp < 1)) refuse(key, text, "between 0 and 1, both excluded")
    fpp
  }

  private def count(key: String, text: String, most: Long): Long = {
    val ndv = number(key, text)(_.toLong)
    if (ndv < 1 || ndv > most) refuse(key, text, s"from 1 to $most")
    ndv
  }

  private def flag(key: String, text: String): Boolean =
    isTrue(text) || (!text.trim.equalsIgnoreCase("false") && refuse(key, text, "true or false"))

  private def number[T](key: String, text: String)(parse: String => T): T =
    try parse(text.trim)
    catch { case _: NumberFormatException => refuse(key, text, "a number") }

  private def refuse(key: String, text: String, allowed: String): Nothing =
    throw new IllegalArgumentException(s"$key must be $allowed, but was '$text'")
}

private[spark] object FilterOptions {
  private final val Enabled = BLOOM_FILTER_ENABLED

  /** parquet-mr's own (`ParquetProperties.DEFAULT_BLOOM_FILTER_FPP`). */
  private final val DefaultFpp = 0.01

  private final val OurFpp = "sbbf.bloom.filter.fpp"
  private final val FewestNdv = "sbbf.bloom.filter.min.ndv"
  private final val BesideDictionary = "sbbf.bloom.filter.dictionary"
  private final val AutoFpp = "auto"
  final val Auto = "sbbf.bloom.filter.auto"

  /** Fewer distinct values of a row group are mostly in all row groups. */
  private final val AutoNdv = 1000L

  /** Keys that may stand for all columns, and those that may stand for one. */
  private val OfAll = Seq(BLOOM_FILTER_MAX_BYTES, Auto, OurFpp, FewestNdv, BesideDictionary)
  private val OfOne =
    Seq(Enabled, BLOOM_FILTER_FPP, BLOOM_FILTER_EXPECTED_NDV, OurFpp, FewestNdv, BesideDictionary)

  /** The keys that are understood here. */
  val keys: Seq[String] = (OfAll ++ OfOne).distinct

  /** What all keys begin with. */
  private val Prefixes = Seq("parquet.bloom.filter.", "sbbf.bloom.filter.")

  /** The least that `auto` takes: it costs 41 bits for each value, and is enough for 100,000 row groups. */
  private final val LeastFpp = 0.00001

  /** The FPP with which a lookup falsely keeps about one row group of a table with so many. */
  def autoFpp(rowGroups: Long): Double =
    math.max(LeastFpp, math.min(DefaultFpp, 1.0 / math.max(1, rowGroups)))

  /** Of what a job's Hadoop settings hold, those of its session and its options. */
  def of(conf: Configuration): FilterOptions = of(settingsOf(conf).toMap)

  def of(settings: Map[String, String]): FilterOptions = new FilterOptions(settings)

  /** Asks for a filter of the column. */
  def enabling(column: String): (String, String) = s"$Enabled#$column" -> "true"

  /** Sets the FPP of the column's filters, which may be `auto`. */
  def fpp(column: String, fpp: String): (String, String) = s"$OurFpp#$column" -> fpp

  /** Adds what a writer's options say of filters to the job's settings. */
  def add(options: Map[String, String], conf: Configuration): Unit =
    for ((key, value) <- options if value != null && Prefixes.exists(key.startsWith))
      conf.set(key, value)

  /** Takes the filters out of a job's settings, so that parquet-mr writes none. */
  def remove(conf: Configuration): Unit =
    settingsOf(conf).foreach { case (key, _) =>
      if (isEnabling(key) || isNdv(key)) conf.unset(key)
    }

  private def settingsOf(conf: Configuration): Seq[(String, String)] =
    for {
      prefix <- Prefixes
      (key, value) <- conf.getPropsWithPrefix(prefix).asScala.toSeq
    } yield prefix + key -> value

  /** The column that a key is about, or nothing. */
  private def columnOf(key: String): String = key.dropWhile(_ != '#').drop(1)

  private def isAsking(key: String, value: String): Boolean =
    isNdv(key) || isEnabling(key) && isTrue(value)

  private def isEnabling(key: String): Boolean = key == Enabled || key.startsWith(s"$Enabled#")
  private def isNdv(key: String): Boolean = key.startsWith(s"$BLOOM_FILTER_EXPECTED_NDV#")
  private def isTrue(text: String): Boolean = text.trim.equalsIgnoreCase("true")
}
