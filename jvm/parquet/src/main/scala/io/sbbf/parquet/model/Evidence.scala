package io.sbbf.parquet.model

/**
 * The kind of evidence that decided about a row group, cheapest first.
 *
 * @param name the value in tables and reports
 * @param label the words in texts for people
 */
sealed abstract class Evidence(val name: String, val label: String)
    extends Product
    with Serializable

object Evidence {
  case object None extends Evidence("none", "none")
  case object NullCount extends Evidence("null_count", "null count")
  case object MinMax extends Evidence("min_max", "min/max")
  case object Dictionary extends Evidence("dictionary", "dictionary")
  case object Bloom extends Evidence("bloom", "bloom")

  /** The kinds that can refute a row group, cheapest first. */
  val all: Seq[Evidence] = Seq(NullCount, MinMax, Dictionary, Bloom)
}
