package io.sbbf.parquet.model

/**
 * Defines how a table's columns are found in its files.
 *
 * @param caseSensitive whether names have to agree in case
 * @param defaulted names of top-level columns that read as a value other than NULL if a file
 *   lacks them
 * @param reader the reader of the files
 */
final case class ColumnLookup(
    caseSensitive: Boolean,
    defaulted: Set[String] = Set.empty,
    reader: ReaderRules = ReaderRules.Spark) {
  def hasDefault(column: String): Boolean = defaulted.exists(_.equalsIgnoreCase(column))
}
