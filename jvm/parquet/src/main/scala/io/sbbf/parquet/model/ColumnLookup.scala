package io.sbbf.parquet.model

/**
 * Defines how a table's columns are found in its files.
 *
 * @param caseSensitive whether names have to agree in case
 * @param defaulted names of top-level columns that read as a value other than NULL if a file
 *   lacks them
 * @param absentIdIsNull whether a top-level column that is found by its id reads as NULL in a file
 *   that gives ids to its columns, but not this one, as Iceberg specifies. If not, such a file is
 *   unknown.
 */
final case class ColumnLookup(
    caseSensitive: Boolean,
    defaulted: Set[String] = Set.empty,
    absentIdIsNull: Boolean = false) {
  def hasDefault(column: String): Boolean = defaulted.exists(_.equalsIgnoreCase(column))
}
