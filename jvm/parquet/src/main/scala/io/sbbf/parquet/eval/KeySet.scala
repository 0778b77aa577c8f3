package io.sbbf.parquet.eval

import java.util.concurrent.ConcurrentHashMap

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.literal.StoredKeys
import io.sbbf.parquet.model.{ColumnLookup, ColumnType}

/**
 * Many keys of one column. They are sorted and hashed once for each type in which files store the
 * column. Thread-safe.
 *
 * @param values the keys, all distinct
 * @param lookup the rules by which the column is found and its values are read
 */
final class KeySet(
    val column: ColumnPath,
    val values: IndexedSeq[Value],
    val lookup: ColumnLookup) {

  private val stored = new ConcurrentHashMap[ColumnType, StoredKeys]

  private[eval] val leaf: Leaf = Leaf(column, In(values))

  private[eval] def of(kind: ColumnType): StoredKeys =
    stored.computeIfAbsent(kind, StoredKeys.of(values, _, lookup.reader))

  /** Returns the evaluator of the keys for a file. */
  def bind(evidence: FileEvidence): KeyEvaluator = new KeyEvaluator(this, evidence)
}
