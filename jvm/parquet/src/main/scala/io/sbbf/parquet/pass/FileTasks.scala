package io.sbbf.parquet.pass

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.model.FileVersion

/** Runs work on many files in tasks of a cluster. */
private[sbbf] trait FileTasks {

  /** Returns whether a job for so many files is worth its cost, and can run now. */
  def canRead(files: Int): Boolean

  /**
   * Runs one job. Returns when it has ended: also if it failed, which is logged.
   *
   * @param isTooSlow returns whether to cancel the job when so many files are done
   * @param receive gets the results for adjacent files, and the number of the first one. Called in
   *   the calling thread, as results arrive.
   * @throws InterruptedException if the query is cancelled, and with it the job
   */
  def run[A](files: IndexedSeq[FileVersion], work: FileTasks.Work[A], isTooSlow: Int => Boolean)(
      receive: (Int, IndexedSeq[A]) => Unit): Unit
}

private[sbbf] object FileTasks {

  /** The work of a task. */
  trait Work[A] extends Serializable {

    /**
     * Returns the result for each file.
     *
     * @param conf the configuration of the scan
     * @param maxBytes the most bytes of files that the results may hold together
     */
    def apply(files: IndexedSeq[FileVersion], conf: Configuration, maxBytes: Long): IndexedSeq[A]
  }

  /** There is no cluster. */
  object Off extends FileTasks {
    override def canRead(files: Int): Boolean = false
    override def run[A](files: IndexedSeq[FileVersion], work: Work[A], isTooSlow: Int => Boolean)(
        receive: (Int, IndexedSeq[A]) => Unit): Unit = ()
  }
}
