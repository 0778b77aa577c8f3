package io.sbbf.parquet.eval

import java.util.Arrays

import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/**
 * Evaluates a leaf by an index, which leaves no row group undecided, so that no dictionary and no
 * filter is read. Thread-safe.
 *
 * @param own the evaluator by the evidence of the file
 * @param rowGroups the row groups that might match by the index, in ascending order
 */
private[parquet] final class IndexedLeaf(own: LeafEvaluator, rowGroups: Array[Int])
    extends LeafEvaluator {

  override def evalStatistics(rowGroup: Int): LeafResult =
    if (Arrays.binarySearch(rowGroups, rowGroup) < 0) LeafResult.NotInIndex
    else own.evalStatistics(rowGroup)

  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult = {
    val result = evalStatistics(rowGroup)
    if (result.verdict == Verdict.MightMatch) LeafResult.InIndex else result
  }
}
