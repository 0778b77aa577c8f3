package io.sbbf.orc.eval

import org.apache.orc.TypeDescription.Category
import org.apache.orc.util.BloomFilter
import org.apache.orc.{ColumnStatistics, TypeDescription}

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.parquet.model.{ColumnLookup, LeafResult, RecoverableError}

/**
 * Evaluates one leaf of a predicate on statistics and bloom filters of one file.
 *
 * @param column the number of the column in the file; None if the result is the same for all rows
 * @param tests the tests that a matching row must pass
 * @param otherwise the result if no test refutes
 */
private[orc] final class OrcLeaf private (
    val column: Option[Int],
    tests: Seq[OrcTest],
    hasFilters: Boolean,
    otherwise: LeafResult) {

  /**
   * Returns the result for so many rows with these statistics and this filter, which both may be
   * null.
   */
  def evaluate(statistics: ColumnStatistics, filter: BloomFilter, rows: Long): LeafResult =
    if (column.isEmpty || statistics == null) otherwise
    else
      try {
        val byStatistics = tests.find(!_.mightPass(statistics, null, rows))
        byStatistics match {
          case Some(OrcTest.OfNull(_)) => LeafResult.AllNull
          case Some(_) =>
            if (statistics.getNumberOfValues == 0) LeafResult.AllNull
            else LeafResult.OutsideBounds
          case None if filter == null || !hasFilters => otherwise
          case None =>
            if (tests.forall(_.mightPass(statistics, filter, rows))) LeafResult.InFilter
            else LeafResult.NotInFilter
        }
      } catch {
        case RecoverableError(_) => OrcLeaf.Damaged
      }
}

private[orc] object OrcLeaf {
  private val Damaged = LeafResult.unknown("damaged statistics")

  /**
   * Returns the leaf for a file of this schema.
   *
   * @param table the columns that the scan reads
   */
  def of(leaf: Leaf, schema: TypeDescription, lookup: ColumnLookup, table: ReadSchema): OrcLeaf =
    OrcColumn.of(leaf.column, schema, table, lookup) match {
      case OrcColumn.Unknown(result) => constant(result)
      case OrcColumn.Absent =>
        constant(
          if (lookup.hasDefault(leaf.column.root)) LeafResult.DefaultedColumn
          else if (leaf.test.passesNull) LeafResult.EveryRowNull
          else LeafResult.AllNull)
      case OrcColumn.Found(of, isNested) =>
        // a NULL struct has fields that are NULL, which the file does not count
        val isAsDeclared =
          !isNested && table.typeOf(leaf.column.root, lookup.caseSensitive).contains(of.toString)
        val tests = OrcTest.of(leaf.test, of, isAsDeclared)
        if (tests.isEmpty) constant(LeafResult.NotComparable)
        else
          // writers leave filters of booleans empty
          new OrcLeaf(
            Some(of.getId),
            tests,
            hasFilters = of.getCategory != Category.BOOLEAN,
            LeafResult.NoEvidence)
    }

  private def constant(result: LeafResult): OrcLeaf =
    new OrcLeaf(None, Nil, hasFilters = false, result)
}
