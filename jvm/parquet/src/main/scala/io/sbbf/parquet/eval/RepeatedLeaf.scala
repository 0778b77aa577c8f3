package io.sbbf.parquet.eval

import io.sbbf.core.predicate.RowGroupPredicate.{IsNotNull, IsNull, IsNullDecimal, Test}
import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/**
 * A leaf about a column of which a row may hold many values or none, and matches if one passes.
 * What refutes the test for every value refutes it for every row; that all values pass says
 * nothing about rows that hold none. Thread-safe.
 *
 * @param values the same test put to all values of the column
 */
private[parquet] final class RepeatedLeaf(values: LeafEvaluator) extends LeafEvaluator {
  override def evalStatistics(rowGroup: Int): LeafResult = ofRows(values.evalStatistics(rowGroup))
  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult =
    ofRows(values.evalContents(rowGroup, bytes))

  private def ofRows(answer: LeafResult): LeafResult =
    if (answer.verdict == Verdict.AllMatch) answer.copy(verdict = Verdict.MightMatch)
    else answer
}

private[parquet] object RepeatedLeaf {

  /** Writers count as NULL what is none: an empty list, a list that is NULL itself. */
  def of(test: Test, values: LeafEvaluator, footer: FileFooter): LeafEvaluator = test match {
    case IsNull | IsNullDecimal(_, _) | IsNotNull =>
      new ConstantLeaf(footer, LeafResult.RepeatedColumn)
    case _ => new RepeatedLeaf(values)
  }
}
