package io.sbbf.parquet.eval

import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/** A leaf with one answer for all of the file's row groups that have rows. */
private[parquet] final class ConstantLeaf(footer: FileFooter, answer: LeafResult)
    extends LeafEvaluator {
  override def evalStatistics(rowGroup: Int): LeafResult =
    if (footer.numRows(rowGroup) == 0) LeafResult.NoRows else answer
  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult = evalStatistics(
    rowGroup)
}
