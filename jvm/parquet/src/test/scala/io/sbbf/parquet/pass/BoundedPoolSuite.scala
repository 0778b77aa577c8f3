package io.sbbf.parquet.pass

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

class BoundedPoolSuite extends AnyFunSuite {

  test("results have the order of the items.") {
    assert(
      BoundedPool.map((0 until 1000).toIndexedSeq, 8)(_ * 2).toSeq == (0 until 1000).map(_ * 2))
    assert(BoundedPool.map(IndexedSeq.empty[Int], 8)(_ * 2).isEmpty)
  }

  test("the pool uses no more threads than allowed.") {
    val threads = ConcurrentHashMap.newKeySet[Thread]()
    BoundedPool.map((0 until 200).toIndexedSeq, 3) { i =>
      threads.add(Thread.currentThread); Thread.sleep(1); i
    }
    assert(threads.size <= 3)
  }

  test("the first exception of the function ends the work and is thrown.") {
    val done = new AtomicInteger
    intercept[IllegalStateException] {
      BoundedPool.map((0 until 10000).toIndexedSeq, 4) { i =>
        if (i == 10) throw new IllegalStateException("x")
        Thread.sleep(1)
        done.incrementAndGet()
      }
    }
    assert(done.get < 5000)
  }

  test("an interrupt of the caller interrupts the other threads.") {
    val running = new CountDownLatch(4)
    val interrupted = new CountDownLatch(3)
    @volatile var outcome: Throwable = null
    val caller = new Thread(() =>
      try
        BoundedPool.map((0 until 100).toIndexedSeq, 4) { i =>
          running.countDown()
          try Thread.sleep(60000)
          catch { case e: InterruptedException => interrupted.countDown(); throw e }
          i
        }
      catch { case e: Throwable => outcome = e })
    caller.start()
    assert(running.await(20, TimeUnit.SECONDS))
    caller.interrupt()
    caller.join(20000)
    assert(outcome.isInstanceOf[InterruptedException])
    assert(interrupted.await(20, TimeUnit.SECONDS))
  }
}
