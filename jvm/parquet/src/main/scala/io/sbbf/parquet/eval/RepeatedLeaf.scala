package io.sbbf.parquet.eval

import io.sbbf.core.predicate.RowGroupPredicate.{IsNotNull, IsNull, IsNullDecimal, Test}
import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/**
 * Evaluates a leaf for a column with any number of values per row. A row matches if one of its
 * values passes. A test that no value passes matches no row. But a test that all values pass need
 * not match all rows, because a row may hold no value. Thread-safe.
 *
 * @param values the evaluator of the same test for all values of the column
 */
private[parquet] final class RepeatedLeaf(values: LeafEvaluator) extends LeafEvaluator {
  override def evalStatistics(rowGroup: Int): LeafResult = ofRows(values.evalStatistics(rowGroup))
  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult =
    ofRows(values.evalContents(rowGroup, bytes))

  private def ofRows(result: LeafResult): LeafResult =
    if (result.verdict == Verdict.AllMatch) result.copy(verdict = Verdict.MightMatch)
    else result
}

private[parquet] object RepeatedLeaf {

  /**
   * Returns the evaluator of a test. Tests for NULL stay undecided, because writers count an empty
   * list and a NULL list as NULL values.
   */
  def of(test: Test, values: LeafEvaluator, footer: FileFooter): LeafEvaluator = test match {
    case IsNull | IsNullDecimal(_, _) | IsNotNull =>
      new ConstantLeaf(footer, LeafResult.RepeatedColumn)
    case _ => new RepeatedLeaf(values)
  }
}
