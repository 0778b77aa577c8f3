package io.sbbf.parquet.pass

import io.sbbf.parquet.result.{FilePruning, TaskReads}

/** Evaluates one predicate on the files of one listing. Files have the numbers of the listing. */
private[sbbf] trait FileEvaluator {

  /**
   * Returns the outcome of each file for which everything that it needs is in memory, and null for
   * the others.
   */
  def fromMemory(): Array[FilePruning]

  /**
   * Evaluates files in tasks of a cluster, if they are many. Those that it does not find are left to
   * [[fromStore]].
   *
   * @param isTooLong returns whether to stop, by the number of files that are done and of all
   * @param found gets the number of a file and its outcome, in the calling thread
   * @return what the tasks have read
   */
  def fromTasks(some: IndexedSeq[Int], isTooLong: (Int, Int) => Boolean)(
      found: (Int, FilePruning) => Unit): TaskReads

  /**
   * Returns a thread-safe function of a position in `some`: it reads that file as far as necessary,
   * and returns its outcome. Call this in the thread of the query: stores may belong to its user.
   */
  def fromStore(some: IndexedSeq[Int]): Int => FilePruning

  /** Returns for how many files the cache had no space. */
  def filesDeclined: Int
}
