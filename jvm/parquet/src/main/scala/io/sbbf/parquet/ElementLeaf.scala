package io.sbbf.parquet

import io.sbbf.core.RowGroupPredicate.{IsNotNull, IsNull, IsNullDecimal, Test}
import io.sbbf.core.Verdict

/**
 * A leaf about a column of which a row may hold many values or none, and matches if one passes.
 * What refutes the test for every value refutes it for every row; that all values pass says
 * nothing about rows that hold none. Thread-safe.
 *
 * @param values the same test put to all values of the column
 */
private[parquet] final class ElementLeaf(values: BoundLeaf) extends BoundLeaf {
  override def fromFooter(rowGroup: Int): Answer = ofRows(values.fromFooter(rowGroup))
  override def fromData(rowGroup: Int, bytes: () => FileBytes): Answer =
    ofRows(values.fromData(rowGroup, bytes))

  private def ofRows(answer: Answer): Answer =
    if (answer.verdict == Verdict.AllMatch) answer.copy(verdict = Verdict.MightMatch)
    else answer
}

private[parquet] object ElementLeaf {

  /** Writers count as NULL what is none: an empty list, a list that is NULL itself. */
  def of(test: Test, values: BoundLeaf, footer: FileFooter): BoundLeaf = test match {
    case IsNull | IsNullDecimal(_, _) | IsNotNull =>
      new UnknownLeaf(footer, Answer.RepeatedColumn)
    case _ => new ElementLeaf(values)
  }
}
