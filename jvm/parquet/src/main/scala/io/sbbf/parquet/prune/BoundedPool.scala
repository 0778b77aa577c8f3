package io.sbbf.parquet.prune

import java.util.concurrent._
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.reflect.ClassTag

/** Runs a function over many items on the calling thread and a bounded number of others. */
private[sbbf] object BoundedPool {

  private val threads = {
    val number = new AtomicInteger
    val factory: ThreadFactory = work => {
      val thread = new Thread(work, s"sbbf-planning-${number.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
    new ThreadPoolExecutor(
      0,
      Int.MaxValue,
      30,
      TimeUnit.SECONDS,
      new SynchronousQueue[Runnable],
      factory)
  }

  /** With fewer items than this for each thread, handing them out costs more than it saves. */
  private val ItemsPerThread = 4

  /**
   * `f` of each item, in order, by at most `parallelism` threads at a time.
   *
   * Throws InterruptedException when the calling thread is interrupted, as Spark does to cancel a query, after
   * it has interrupted the others; and the first exception that `f` throws, after which no more items begin.
   */
  def map[A, B: ClassTag](items: IndexedSeq[A], parallelism: Int)(f: A => B): Array[B] = {
    val results = new Array[B](items.size)
    val next = new AtomicInteger
    val stopped = new AtomicBoolean
    def work(): Unit =
      try {
        var i = next.getAndIncrement()
        while (i < items.size && !stopped.get) {
          if (Thread.currentThread.isInterrupted)
            throw new InterruptedException("planning was cancelled")
          results(i) = f(items(i))
          i = next.getAndIncrement()
        }
      } catch { case e: Throwable => stopped.set(true); throw e }
    val others = math.min(parallelism, (items.size + ItemsPerThread - 1) / ItemsPerThread) - 1
    val futures = (0 until others).map(_ => threads.submit((() => work()): Callable[Unit]))
    try {
      work()
      futures.foreach(_.get())
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      stopped.set(true)
      futures.foreach(_.cancel(true))
    }
    results
  }
}
