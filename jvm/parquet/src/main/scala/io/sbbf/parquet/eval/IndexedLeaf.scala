package io.sbbf.parquet.eval

import java.util.Arrays

import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.hashes.LeafHits
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/**
 * Evaluates a leaf by an index. If the index is exact, it leaves no row group undecided, and no
 * dictionary and no filter is read. Thread-safe.
 *
 * @param own the evaluator by the evidence of the file
 * @param hits the row groups that might match by the index
 */
private[parquet] final class IndexedLeaf(own: LeafEvaluator, hits: LeafHits)
    extends LeafEvaluator {

  override def evalStatistics(rowGroup: Int): LeafResult =
    if (isRefuted(rowGroup)) LeafResult.NotInIndex
    else own.evalStatistics(rowGroup)

  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult =
    if (!hits.areExact && !isRefuted(rowGroup)) own.evalContents(rowGroup, bytes)
    else {
      val result = evalStatistics(rowGroup)
      if (result.verdict == Verdict.MightMatch) LeafResult.InIndex else result
    }

  private def isRefuted(rowGroup: Int): Boolean =
    Arrays.binarySearch(hits.rowGroups, rowGroup) < 0
}
