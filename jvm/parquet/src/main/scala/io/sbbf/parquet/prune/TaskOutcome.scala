package io.sbbf.parquet.prune

import io.sbbf.parquet.input.RecordedBytes
import io.sbbf.parquet.result.FilePruning

/**
 * What a task has found in a file.
 *
 * @param recorded what it has read of the file; None if there was no space
 */
private[prune] final case class TaskOutcome(outcome: FilePruning, recorded: Option[RecordedBytes])
