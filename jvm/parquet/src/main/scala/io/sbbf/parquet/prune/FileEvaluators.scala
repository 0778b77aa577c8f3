package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.pass.{FileEvaluator, PruneRequest}

/** Makes evaluators of the files of one format. */
private[sbbf] trait FileEvaluators {

  /** Whether tasks can leave out row groups that only an index refutes. */
  def useRowGroupHits: Boolean

  /**
   * @param hitsOf returns what an index knows about a file, by its number
   * @param remembers whether the next queries are likely to prune the same files
   */
  def of(
      files: IndexedSeq[FileStatus],
      request: PruneRequest,
      hitsOf: Int => FileHits,
      remembers: Boolean): FileEvaluator
}
