package io.sbbf.parquet.eval

import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/** Returns one result for all row groups of the file that have rows. */
private[parquet] final class ConstantLeaf(footer: FileFooter, result: LeafResult)
    extends LeafEvaluator {
  override def evalStatistics(rowGroup: Int): LeafResult =
    if (footer.numRows(rowGroup) == 0) LeafResult.NoRows else result
  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult = evalStatistics(
    rowGroup)
}
