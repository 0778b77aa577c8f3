package io.sbbf.parquet.append

import java.util.concurrent.{ExecutionException, FutureTask}

/** Two things at once, one of them on a thread of its own. */
private[parquet] object Concurrently {

  /**
   * Begins with `aside` on another thread and does `here` on the caller's.
   *
   * @return what `aside` gives, when both have ended. What either throws is thrown, of two that of `here`; when that
   *   or an interrupt of the caller comes first, the other thread is interrupted, and this waits for its end
   */
  def runWithBackground[T](aside: () => T)(here: => Unit): T = {
    val task = new FutureTask[T](() => aside())
    val thread = new Thread(task, "sbbf-attach")
    thread.setDaemon(true)
    thread.start()
    try {
      here
      task.get()
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      task.cancel(true)
      mergeByColumn(thread)
    }
  }

  /** However often the caller is interrupted: what the thread uses goes next. */
  private def mergeByColumn(thread: Thread): Unit = {
    var isInterrupted = false
    while (thread.isAlive)
      try thread.join()
      catch { case _: InterruptedException => isInterrupted = true }
    if (isInterrupted) Thread.currentThread.interrupt()
  }
}
