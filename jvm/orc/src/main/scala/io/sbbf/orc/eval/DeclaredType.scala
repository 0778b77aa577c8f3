package io.sbbf.orc.eval

import org.apache.orc.TypeDescription

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.model.ColumnLookup

/** Compares the types of the table's columns with those that a file stores. */
private[orc] object DeclaredType {

  private val integers = Set("tinyint", "smallint", "int", "bigint")

  /**
   * Returns whether ORC's reader can compare what a file stores with a literal of the table's type.
   *
   * @param root the name of a top-level column of the table
   * @param declared returns the type of such a column, as ORC spells it
   */
  def isComparable(
      root: String,
      schema: TypeDescription,
      lookup: ColumnLookup,
      declared: String => Option[String]): Boolean =
    StoredColumn.of(ColumnPath.named(Seq(root)), schema, lookup) match {
      case StoredColumn.Found(of, _) =>
        declared(root).exists(t => t == of.toString || Set(t, of.toString).subsetOf(integers))
      case StoredColumn.Absent => true
      case StoredColumn.Unknown(_) => false
    }
}
