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

  /** An index of the table, which needs no evidence in the file. */
  case object Index extends Evidence("index")

  /** The kinds in files that can refute a row group, cheapest first. */
  val inFiles: Seq[Evidence] = Seq(NullCount, MinMax, Dictionary, Bloom)

  /** The kinds that can refute a row group. */
  val all: Seq[Evidence] = inFiles :+ Index
}
