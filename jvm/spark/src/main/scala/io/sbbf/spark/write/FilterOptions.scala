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
import io.sbbf.spark.util.OptionText

/**
 * Reads the bloom filters that a job's settings request.
 *
 * Some keys are those of parquet-mr (its README for `parquet.bloom.filter.*`):
 *
 *   - `enabled` applies to all columns or, with `#column` after it, to one.
 *   - `fpp#column` is the FPP of one column's filters.
 *   - `expected.ndv#column` is the most distinct values of a row group that a filter is sized
 *     for. It requests a filter as well (`ParquetProperties.withBloomFilterNDV`).
 *   - `max.bytes` applies to all columns.
 *
 * The keys that parquet-mr does not know begin with `sbbf.`:
 *
 *   - `fpp`, which may also be `auto`, `min.ndv` and `dictionary` each apply to all columns or to
 *     one.
 *   - `auto` requests filters for all columns whose type is that of keys ([[ValueKind.isKey]]),
 *     in row groups with many distinct values that are not all in a dictionary.
 */
private[spark] final class FilterOptions private (settings: Map[String, String])
    extends Serializable {
  import FilterOptions._

  /**
   * Whether no column gets a filter. An invalid value of `auto` counts as a request, which
   * [[requests]] refuses.
   */
  def isEmpty: Boolean =
    settings.get(Auto).forall(_.trim.equalsIgnoreCase("false")) &&
      !settings.exists { case (key, value) => isRequest(key, value) }

  private def isAuto: Boolean = settings.get(Auto).exists(OptionText.flag(Auto, _))

  /** Whether an FPP depends on the row groups of the table. */
  def needsTableSize: Boolean = settings.exists { case (key, value) =>
    (key == OurFpp || key.startsWith(s"$OurFpp#")) && value.trim == AutoFpp
  }

  /** Returns the columns that the settings name, in alphabetical order. */
  def columns: Seq[String] =
    settings.toSeq
      .collect { case (key, value) if isRequest(key, value) => key }
      .map(columnOf)
      .filter(_.nonEmpty)
      .distinct
      .sorted

  /** Returns the keys without effect: unknown ones, and those of columns that get no filter. */
  def unusedKeys: Seq[String] = settings.keys.toSeq.sorted.filterNot { key =>
    val (name, column) = key.span(_ != '#')
    if (column.isEmpty) OfAll.contains(name)
    else OfOne.contains(name) && columns.contains(column.drop(1))
  }

  /**
   * Returns these settings with columns spelled as in the file. Spark's `CaseInsensitiveMap`
   * converts the options of a table to lower case. A lower-case name that no column has itself
   * stands for the only column with that name in lower case.
   */
  def spelledAs(schema: MessageType): FilterOptions = {
    val columns = schema.getColumns.asScala.map(_.getPath.mkString(".")).toSeq
    val byLowerCase = columns.groupBy(_.toLowerCase(Locale.ROOT))
    val (known, others) = settings.partition { case (key, _) => columns.contains(columnOf(key)) }
    val found = others.map { case (key, value) =>
      byLowerCase.get(columnOf(key)) match {
        case Some(Seq(only)) => s"${key.takeWhile(_ != '#')}#$only" -> value
        case _ => key -> value
      }
    }
    new FilterOptions(found ++ known)
  }

  /** Returns the columns that the settings name and the file lacks. */
  def unknown(schema: MessageType): Seq[String] =
    columns.diff(schema.getColumns.asScala.map(_.getPath.mkString(".")))

  /**
   * Returns the filters of a file. Columns of types without a hash get none.
   *
   * @param rowGroups the row groups of the table that the file will belong to, for an FPP of
   *   `auto`
   * @throws IllegalArgumentException naming the setting that is out of range
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
        case (key, text) if key.startsWith(OurFpp) && text.trim == AutoFpp => chosenFpp
        case (key, text) if key.startsWith(OurFpp) =>
          OptionText.probability(key, text, s", or $AutoFpp")
        case (key, text) => OptionText.probability(key, text)
      }
      val ndv = own(BLOOM_FILTER_EXPECTED_NDV, path)
        .map(OptionText.count(s"$BLOOM_FILTER_EXPECTED_NDV#$path", _, 1, Long.MaxValue))
      val minNdv = settingOf(MinNdv, path)
        .fold(if (isNamed) 1L else AutoNdv) { case (key, text) =>
          OptionText.count(key, text, 1, FilterRequest.MostCounted.toLong)
        }
      val withDictionary =
        settingOf(WithDictionary, path).fold(isNamed) { case (key, text) =>
          OptionText.flag(key, text)
        }
      val largest = FilterRequest.maxBytes(fpp, ndv, maxBytes)
      FilterRequest(number, kind, fpp, largest, minNdv.toInt, withDictionary)
    }
  }

  private def isRefused(path: String): Boolean = own(Enabled, path).exists(!isTrue(_))

  private def isWanted(path: String): Boolean =
    own(BLOOM_FILTER_EXPECTED_NDV, path).isDefined || settingOf(Enabled, path).exists {
      case (_, text) => isTrue(text)
    }

  /** Rounds up to a power of two, as parquet-mr does (`BlockSplitBloomFilter.initBitset`). */
  private def maxBytes: Option[Int] = settings.get(BLOOM_FILTER_MAX_BYTES).map { text =>
    val bytes = OptionText.integer(BLOOM_FILTER_MAX_BYTES, text)
    val within = math.max(FilterSizing.MinBytes, math.min(FilterSizing.MaxBytes, bytes))
    val below = Integer.highestOneBit(within)
    if (below == within) below else 2 * below
  }

  private def own(key: String, path: String): Option[String] = settings.get(s"$key#$path")

  /** Returns a column's own setting, or else the one for all columns, with its key. */
  private def settingOf(key: String, path: String): Option[(String, String)] =
    Seq(s"$key#$path", key).collectFirst { case k if settings.contains(k) => k -> settings(k) }
}

private[spark] object FilterOptions {
  private final val Enabled = BLOOM_FILTER_ENABLED

  /** The default of parquet-mr (`ParquetProperties.DEFAULT_BLOOM_FILTER_FPP`). */
  private final val DefaultFpp = 0.01

  private final val OurFpp = "sbbf.bloom.filter.fpp"
  private final val MinNdv = "sbbf.bloom.filter.min.ndv"
  private final val WithDictionary = "sbbf.bloom.filter.dictionary"
  private final val AutoFpp = "auto"
  final val Auto = "sbbf.bloom.filter.auto"

  /**
   * The `min.ndv` of `auto`: fewer distinct values of a row group are mostly in all row groups.
   */
  private final val AutoNdv = 1000L

  /** Keys that may apply to all columns, followed by those that may apply to one. */
  private val OfAll = Seq(BLOOM_FILTER_MAX_BYTES, Auto, OurFpp, MinNdv, WithDictionary)
  private val OfOne =
    Seq(Enabled, BLOOM_FILTER_FPP, BLOOM_FILTER_EXPECTED_NDV, OurFpp, MinNdv, WithDictionary)

  /** The keys that this class reads. */
  val keys: Seq[String] = (OfAll ++ OfOne).distinct

  /** The prefixes of all keys. */
  private val Prefixes = Seq("parquet.bloom.filter.", "sbbf.bloom.filter.")

  /**
   * The lowest FPP that `auto` chooses: it costs 41 bits for each value, and is enough for
   * 100,000 row groups.
   */
  private final val LeastFpp = 0.00001

  /** Returns the FPP with which a lookup falsely keeps about one of `rowGroups` row groups. */
  def autoFpp(rowGroups: Long): Double =
    math.max(LeastFpp, math.min(DefaultFpp, 1.0 / math.max(1, rowGroups)))

  /**
   * Returns the options in a job's Hadoop configuration, which holds the settings of its session
   * and its own options.
   */
  def of(conf: Configuration): FilterOptions = of(settingsOf(conf).toMap)

  def of(settings: Map[String, String]): FilterOptions = new FilterOptions(settings)

  /** Returns the setting that requests filters for the column. */
  def enabling(column: String): (String, String) = s"$Enabled#$column" -> "true"

  /** Returns the setting for the FPP of the column's filters, which may be `auto`. */
  def fpp(column: String, fpp: String): (String, String) = s"$OurFpp#$column" -> fpp

  /** Copies the keys for filters from a writer's options to the job's settings. */
  def add(options: Map[String, String], conf: Configuration): Unit =
    for ((key, value) <- options if value != null && Prefixes.exists(key.startsWith))
      conf.set(key, value)

  /** Removes the filters from a job's settings, so that parquet-mr writes none. */
  def remove(conf: Configuration): Unit =
    settingsOf(conf).foreach { case (key, _) =>
      if (isEnabling(key) || isNdv(key)) conf.unset(key)
    }

  private def settingsOf(conf: Configuration): Seq[(String, String)] =
    for {
      prefix <- Prefixes
      (key, value) <- conf.getPropsWithPrefix(prefix).asScala.toSeq
    } yield prefix + key -> value

  /** Returns the column in a key, or an empty string. */
  private def columnOf(key: String): String = key.dropWhile(_ != '#').drop(1)

  private def isRequest(key: String, value: String): Boolean =
    isNdv(key) || isEnabling(key) && isTrue(value)

  private def isEnabling(key: String): Boolean = key == Enabled || key.startsWith(s"$Enabled#")
  private def isNdv(key: String): Boolean = key.startsWith(s"$BLOOM_FILTER_EXPECTED_NDV#")
  private def isTrue(text: String): Boolean = text.trim.equalsIgnoreCase("true")
}
