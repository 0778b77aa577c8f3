package io.sbbf.parquet.model

/**
 * The kind of evidence that decided about a row group, cheapest first.
 *
 * @param name the value in tables, reports and metrics
 */
sealed abstract class Evidence(val name: String) extends Product with Serializable

object Evidence {
  case object None extends Evidence("none")
  case object NullCount extends Evidence("null_count")
  case object MinMax extends Evidence("min_max")
  case object Dictionary extends Evidence("dictionary")
  case object Bloom extends Evidence("bloom")

  /** The kinds that can refute a row group, cheapest first. */
  val all: Seq[Evidence] = Seq(NullCount, MinMax, Dictionary, Bloom)
}
