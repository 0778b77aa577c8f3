package io.sbbf.orc.eval

import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.model.ColumnLookup

/** Compares the types of the table's columns with those that a file stores. */
private[orc] object TypeCompatibility {

  private val integers = Set("tinyint", "smallint", "int", "bigint")

  /**
   * Returns whether ORC's reader can compare what a file stores with a literal of the table's type.
   *
   * @param root the name of a top-level column of the table
   * @param table the columns that the scan reads
   */
  def isComparable(
      root: String,
      schema: TypeDescription,
      table: ReadSchema,
      lookup: ColumnLookup): Boolean =
    OrcColumn.of(ColumnPath.named(Seq(root)), schema, table, lookup) match {
      case OrcColumn.Found(of, _) =>
        table
          .typeOf(root, lookup.caseSensitive)
          .exists { declared =>
            declared == of.toString || Set(declared, of.toString).subsetOf(integers) ||
            // Spark's type of a VARCHAR column is STRING
            declared == "string" && of.getCategory == Category.VARCHAR
          }
      case OrcColumn.Absent => true
      case OrcColumn.Unknown(_) => false
    }
}
