package io.sbbf.parquet.eval

import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/** Evaluates one leaf of a predicate for each row group of one file. Thread-safe. */
abstract class LeafEvaluator {

  /** Evaluates the leaf by null counts and min/max alone, without I/O. */
  def evalStatistics(rowGroup: Int): LeafResult

  /**
   * Evaluates the leaf by the statistics, then the dictionary, then the bloom filter, until one
   * decides. Dictionaries and filters are read when they are first needed. If a read fails, the row
   * group stays undecided. Throws only interruptions and fatal errors.
   *
   * @param bytes a function that returns the file to read from
   */
  def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult
}

/** Returns one result for all row groups of the file that have rows. */
private[parquet] final class ConstantLeaf(footer: FileFooter, result: LeafResult)
    extends LeafEvaluator {
  override def evalStatistics(rowGroup: Int): LeafResult =
    if (footer.numRows(rowGroup) == 0) LeafResult.NoRows else result
  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult = evalStatistics(
    rowGroup)
}
