package io.sbbf.orc.prune

import java.util.IdentityHashMap

import org.apache.orc.TypeDescription

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.orc.eval.{OrcLeaf, ReadSchema, TypeCompatibility}
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.result.FileStorage

/**
 * A predicate in terms of the columns of all files with one schema. Immutable after construction and
 * thread-safe.
 *
 * @param table the columns that the scan reads
 */
private[prune] final class SchemaBinding(
    val predicate: RowGroupPredicate,
    schema: TypeDescription,
    table: ReadSchema,
    lookup: ColumnLookup) {

  private val bound = new IdentityHashMap[Leaf, OrcLeaf]
  predicate.leaves.foreach(leaf => bound.put(leaf, OrcLeaf.of(leaf, schema, lookup, table)))

  /** The numbers of the columns that decide. */
  val columns: Seq[Int] = predicate.leaves.flatMap(leaf => bound.get(leaf).column).distinct

  /** ORC's reader fails if it compares a column that the file stores as another type. */
  val storage: FileStorage = {
    val roots = predicate.leaves.map(_.column.root).distinct
    if (roots.forall(TypeCompatibility.isComparable(_, schema, table, lookup)))
      SchemaBinding.Comparable
    else FileStorage.Unreadable
  }

  def leaf(of: Leaf): OrcLeaf = bound.get(of)
}

private object SchemaBinding {

  /** ORC's reader may evaluate all filters in the file. */
  private val Comparable =
    FileStorage.Known(
      unsafe = Set.empty,
      hasUnsafeColumns = false,
      hasDeltaPages = false,
      meetsRequirements = false)
}
