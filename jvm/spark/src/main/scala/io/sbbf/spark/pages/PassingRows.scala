package io.sbbf.spark.pages

import org.apache.spark.TaskContext
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Finds the rows of a file that pass a filter. */
private[pages] object PassingRows {

  /**
   * Returns the rows that pass. Returns None if too many do: most of the batches so far have one, or one
   * batch has many.
   *
   * @param batches the filter's columns
   * @param numbers the numbers of their rows in the file
   */
  def find(
      filter: RowFilter,
      batches: Iterator[ColumnarBatch],
      numbers: RowNumbers): Option[RowRuns] = {
    val passes = filter.predicate()
    val runs = new RowRuns
    var (seen, hit, isHopeless) = (0, 0, false)
    while (batches.hasNext && !isCancelled && !isHopeless) {
      val batch = batches.next()
      val passed = add(batch.numRows, passes(batch), numbers, runs)
      seen += 1
      if (passed > 0) hit += 1
      isHopeless = passed > MostPassing || seen >= FirstBatches && hit * 2 > seen
    }
    if (batches.hasNext) None else Some(runs)
  }

  /** Adds the rows of a batch that pass; returns how many do. */
  private def add(rows: Int, passes: Int => Boolean, numbers: RowNumbers, runs: RowRuns): Int = {
    var row = 0
    var passed = 0
    while (row < rows) {
      val number = numbers.next()
      if (passes(row)) {
        runs.add(number)
        passed += 1
      }
      row += 1
    }
    passed
  }

  /** Returns whether Spark has given up the task, or a user the thread; the read then fails. */
  def isCancelled: Boolean =
    Thread.currentThread.isInterrupted || Option(TaskContext.get()).exists(_.isInterrupted())

  /** So many batches show whether rows pass in most pages. */
  private final val FirstBatches = 8

  /** With more rows of a batch, which has 4,096, few pages have none. */
  private final val MostPassing = 1000
}
