package io.sbbf.parquet.append

import java.util.concurrent.{ExecutionException, FutureTask}

/** Runs two computations at the same time, one of them on another thread. */
private[parquet] object Concurrently {

  /**
   * Runs `background` on another thread and `foreground` on the calling thread.
   *
   * If `foreground` fails or the caller is interrupted, the other thread is interrupted. This
   * method returns or throws only after the other thread has ended.
   *
   * @return the result of `background`
   * @throws Throwable the error of either, or that of `foreground` if both fail
   */
  def runWithBackground[T](background: () => T)(foreground: => Unit): T = {
    val task = new FutureTask[T](() => background())
    val thread = new Thread(task, "sbbf-add-filters")
    thread.setDaemon(true)
    thread.start()
    try {
      foreground
      task.get()
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      task.cancel(true)
      awaitEnd(thread)
    }
  }

  /**
   * Waits for the thread's end, even if the caller is interrupted, because the caller then
   * releases the resources that the thread uses.
   */
  private def awaitEnd(thread: Thread): Unit = {
    var isInterrupted = false
    while (thread.isAlive)
      try thread.join()
      catch { case _: InterruptedException => isInterrupted = true }
    if (isInterrupted) Thread.currentThread.interrupt()
  }
}
