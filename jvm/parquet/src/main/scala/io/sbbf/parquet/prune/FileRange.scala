package io.sbbf.parquet.prune

import io.sbbf.parquet.model.Evidence

/**
 * Some files next to each other, of a scan.
 *
 * @param first name of the first one, without its folders
 */
private[sbbf] final case class FileRange(
    first: String,
    last: String,
    outcomes: Seq[FilePruning]) {
  def refutedBy: Map[Evidence, Long] = ScanPruning.total(outcomes.iterator.flatMap(_.refutedBy))
}
