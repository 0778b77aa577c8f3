package io.sbbf.parquet.result

import io.sbbf.parquet.model.Evidence

/**
 * The outcomes of adjacent files of a scan.
 *
 * @param first the name of the first file, without its folders
 * @param last the name of the last file, without its folders
 * @param outcomes the files' outcomes, in the files' order
 */
private[sbbf] final case class FileRange(
    first: String,
    last: String,
    outcomes: IndexedSeq[FilePruning]) {
  def refutedBy: Map[Evidence, Long] = OutcomeTotals.of(outcomes).sums(_.refutedBy)
}
