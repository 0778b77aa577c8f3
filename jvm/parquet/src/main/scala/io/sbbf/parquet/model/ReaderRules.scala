package io.sbbf.parquet.model

/** The rules by which a reader turns the values that a file stores into those of a table. */
sealed abstract class ReaderRules extends Product with Serializable

object ReaderRules {
  case object Spark extends ReaderRules

  /**
   * Iceberg finds columns by ids. A top-level column whose id a file with ids lacks reads as NULL
   * (Iceberg Table Spec, "Column Projection"). Iceberg ignores the scale of a stored decimal and
   * whether a stored integer is unsigned, and takes both from the table.
   */
  case object Iceberg extends ReaderRules
}
