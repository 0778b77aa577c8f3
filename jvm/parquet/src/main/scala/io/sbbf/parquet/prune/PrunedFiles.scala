package io.sbbf.parquet.prune

/** The outcome of each file of a pass, in the files' order. */
private[sbbf] final case class PrunedFiles(
    outcomes: IndexedSeq[FilePruning],
    stoppedEarly: Boolean)
