package io.sbbf.parquet.eval

import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.LeafResult

/** One leaf of a predicate, bound to one file: answers for each row group. Thread-safe. */
abstract class LeafEvaluator {

  /** By null counts and min/max alone: no I/O. */
  def evalStatistics(rowGroup: Int): LeafResult

  /**
   * [[evalStatistics]]'s answer if that decides, else by the dictionary, else by the bloom filter. It
   * reads at first need only; what cannot be read leaves the row group undecided. Nothing is
   * thrown but interruptions and fatal errors.
   */
  def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult
}
