package io.sbbf.parquet.model

/**
 * Defines how a table's columns are found in its files.
 *
 * @param caseSensitive whether names have to agree in case
 * @param defaulted names of top-level columns that read as a value other than NULL if a file
 *   lacks them
 * @param reader the reader of the files
 * @param overwritten those of `defaulted` that may also read as that value where a file has another one
 */
final case class ColumnLookup(
    caseSensitive: Boolean,
    defaulted: Set[String] = Set.empty,
    reader: ReaderRules = ReaderRules.Spark,
    overwritten: Set[String] = Set.empty) {
  def hasDefault(column: String): Boolean = defaulted.exists(_.equalsIgnoreCase(column))
  def isOverwritten(column: String): Boolean = overwritten.exists(_.equalsIgnoreCase(column))
}

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
