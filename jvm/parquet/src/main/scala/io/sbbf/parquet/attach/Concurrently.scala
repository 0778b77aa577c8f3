package io.sbbf.parquet
package attach

import java.util.concurrent.{ExecutionException, FutureTask}

/** Two things at once, one of them on a thread of its own. */
private[attach] object Concurrently {

  /**
   * Begins with `aside` on another thread and does `here` on the caller's.
   *
   * @return what `here` gives, when both have ended. What either throws is thrown, of two that of `here`; when that
   *   or an interrupt of the caller comes first, the other thread is interrupted, and this waits for its end
   */
  def run[T](aside: () => Unit)(here: => T): T = {
    val task = new FutureTask[Unit](() => aside())
    val thread = new Thread(task, "sbbf-attach-copy")
    thread.setDaemon(true)
    thread.start()
    try {
      val result = here
      task.get()
      result
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      task.cancel(true)
      joined(thread)
    }
  }

  /** Also where the caller is being interrupted already: what the thread uses goes next. */
  private def joined(thread: Thread): Unit = {
    val isInterrupted = Thread.interrupted()
    try thread.join()
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }
}
