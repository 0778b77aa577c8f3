package io.sbbf.parquet.pass

import org.apache.hadoop.fs.FileStatus

import io.sbbf.parquet.result.{FilePruning, PrunedFiles, ScanPruning, TaskReads}

/**
 * One pass over the files of a listing: what is in memory, a sample, and the rest within limits, by
 * tasks of a cluster and by threads of the driver.
 */
private[sbbf] final class FilesPass(
    files: IndexedSeq[FileStatus],
    limits: PlanningLimits,
    warnings: PruningWarnings) {
  import FilesPass.FilesOfThread
  import ScanPruning.{NotChecked, TooSlow}

  private val outcomes = new Array[FilePruning](files.size)

  private def unread: IndexedSeq[Int] = files.indices.filter(outcomes(_) == null)

  /**
   * Returns the outcome of each file.
   *
   * @param sampleFirst whether the sample also decides on files that are in memory
   * @throws InterruptedException if the query is cancelled
   */
  def run(evaluator: FileEvaluator, sampleFirst: Boolean): PrunedFiles = {
    // Evaluating cached evidence costs less than handing the file to another thread.
    def evaluateCached(): Unit = {
      val known = evaluator.fromMemory()
      files.indices.foreach(i => if (outcomes(i) == null) outcomes(i) = known(i))
    }
    def read(some: IndexedSeq[Int]): Unit = {
      val unread = some.filter(outcomes(_) == null)
      val fresh = BoundedPool.map(unread.indices, limits.threads)(evaluator.fromStore(unread))
      unread.indices.foreach(k => outcomes(unread(k)) = fresh(k))
    }
    if (!sampleFirst) evaluateCached()
    val sample =
      if (limits.sampleFiles == 0 || !outcomes.contains(null)) IndexedSeq.empty
      else Sample.of(files, limits.sampleFiles)
    read(sample)
    val isUseless = sample.nonEmpty && outcomes.contains(null) && !prunes(sample.map(outcomes(_)))
    var tasks = TaskReads.Nothing
    if (!isUseless) {
      if (sampleFirst) evaluateCached()
      val time = ReadTime.within(limits.seconds)
      tasks = evaluator.fromTasks(unread, time.isTooLong)((i, outcome) => outcomes(i) = outcome)
      readWithin(new ReadTime(time.left), unread)(read)
    }
    val stoppedEarly = outcomes.contains(null)
    if (stoppedEarly) keepUnread(if (isUseless) NotChecked else TooSlow)
    PrunedFiles(
      outcomes.toIndexedSeq,
      stoppedEarly,
      filesDeclined = evaluator.filesDeclined,
      tasks = tasks
    )
  }

  /** Keeps the files that were not read. Their outcomes share one map of reasons. */
  private def keepUnread(reason: String): Unit = {
    val kept = FilePruning.keepAll(0L, reason)
    var file = 0
    while (file < outcomes.length) {
      if (outcomes(file) == null) outcomes(file) = kept.copy(keptBytes = files(file).getLen)
      file += 1
    }
  }

  /** Reads files in batches; stops when their speed shows that all would exceed the limit. */
  private def readWithin(time: ReadTime, left: IndexedSeq[Int])(
      read: IndexedSeq[Int] => Unit): Unit =
    if (limits.seconds == 0) read(left)
    else {
      var done = 0
      while (done < left.size && !time.isTooLong(done, left.size)) {
        val some = left.slice(done, done + FilesOfThread * limits.threads)
        read(some)
        done += some.size
      }
      if (done < left.size)
        warnings.once(
          TooSlow,
          s"${left.size - done} files of a scan were $TooSlow: create an index, or raise the setting")
    }

  /**
   * Whether the sample justifies reading all files: at least one row group in fifty is refuted.
   */
  private def prunes(sample: Seq[FilePruning]): Boolean = {
    val refuted = sample.map(o => o.rowGroups - o.kept).sum
    refuted > 0 && refuted * 50 >= sample.map(_.rowGroups).sum
  }
}

private object FilesPass {

  /** The time is checked each time after each thread has read so many files. */
  private final val FilesOfThread = 16
}
