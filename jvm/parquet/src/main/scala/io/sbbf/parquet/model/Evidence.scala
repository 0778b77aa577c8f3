package io.sbbf.parquet.model

/** The kind of evidence that decided about a row group, cheapest first. */
sealed abstract class Evidence(val name: String) extends Product with Serializable

object Evidence {
  case object None extends Evidence("none")
  case object NullCount extends Evidence("null count")
  case object MinMax extends Evidence("min/max")
  case object Dictionary extends Evidence("dictionary")
  case object Bloom extends Evidence("bloom")
}
