package io.sbbf.parquet.result

/**
 * What tasks of a cluster have read for a pruning pass.
 *
 * @param files the files that tasks have read
 * @param missed the files that tasks were to read, but failed to or were too slow for; the driver
 *   then reads or keeps them
 */
private[sbbf] final case class TaskReads(files: Int, missed: Int) {

  /** Returns, for example, "; 9,968 files read by tasks"; empty if there was no job. */
  def summary: String = {
    val failed = if (missed == 0) "" else f", which missed $missed%,d"
    if (this == TaskReads.Nothing) "" else f"; $files%,d files read by tasks$failed"
  }
}

private[sbbf] object TaskReads {
  val Nothing: TaskReads = TaskReads(0, 0)
}
