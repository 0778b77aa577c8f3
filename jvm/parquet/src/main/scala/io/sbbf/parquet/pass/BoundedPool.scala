package io.sbbf.parquet.pass

import java.util.concurrent._
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.reflect.ClassTag

/** Applies a function to many items, on the calling thread and a bounded number of others. */
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

  /** The fewest items of a thread. A thread with fewer costs more than it saves. */
  private val ItemsPerThread = 4

  /**
   * Returns `f` of each item, in the items' order, computed by at most `parallelism` threads.
   *
   * After the first exception that `f` throws, no further item begins.
   *
   * @throws InterruptedException if the calling thread is interrupted, which Spark does to cancel
   *   a query. The other threads are interrupted first.
   * @throws Throwable the first exception that `f` throws
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
