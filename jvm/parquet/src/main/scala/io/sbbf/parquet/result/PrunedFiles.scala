package io.sbbf.parquet.result

/**
 * The result of a pruning pass.
 *
 * @param outcomes the outcome of each file, in the files' order
 * @param stoppedEarly whether some files were not evaluated, because a sample showed no benefit or
 *   because they would have taken too long
 * @param filesDeclined the number of files for which the cache had no space; the next pass reads
 *   them again
 * @param index what searches of an index have read
 * @param tasks what tasks of a cluster have read
 */
private[sbbf] final case class PrunedFiles(
    outcomes: IndexedSeq[FilePruning],
    stoppedEarly: Boolean = false,
    filesDeclined: Int = 0,
    index: IndexReads = IndexReads.Nothing,
    tasks: TaskReads = TaskReads.Nothing)
