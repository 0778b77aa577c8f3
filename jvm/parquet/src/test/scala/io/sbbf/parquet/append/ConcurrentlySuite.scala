package io.sbbf.parquet.append

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean

import org.scalatest.funsuite.AnyFunSuite

/** Does what runs on a thread of its own always end before the caller goes on? */
class ConcurrentlySuite extends AnyFunSuite {

  /** Work that ends only when it is interrupted, and then takes its time. */
  private final class Endless {
    val begun, interrupted = new CountDownLatch(1)
    val isOver = new AtomicBoolean
    def run(): Unit = {
      begun.countDown()
      try Thread.sleep(60000)
      catch {
        case _: InterruptedException =>
          interrupted.countDown()
          Thread.sleep(300)
          isOver.set(true)
      }
    }
  }

  test("both are done at the same time, and then their end is told.") {
    val here, aside = new CountDownLatch(1)
    val result = Concurrently.runWithBackground { () =>
      aside.countDown()
      here.await()
      7
    } {
      aside.await()
      here.countDown()
    }
    assert(result == 7)
  }

  test("what fails on the other thread is thrown as it is.") {
    val trouble = new IOException("full")
    assert(
      intercept[IOException](Concurrently.runWithBackground(() => throw trouble)(())) eq trouble)
  }

  test("where the caller's part fails the other one is stopped and awaited.") {
    val endless = new Endless
    val trouble = new IOException("damaged")
    val thrown = intercept[IOException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      throw trouble
    })
    assert((thrown eq trouble) && endless.isOver.get)
  }

  test("an interrupt of the caller stops the other part.") {
    val endless = new Endless
    val caller = Thread.currentThread
    intercept[InterruptedException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      caller.interrupt()
    })
    assert(endless.isOver.get && !Thread.interrupted())
  }

  test("an interrupt while the other part is awaited does not end the wait.") {
    val endless = new Endless
    val caller = Thread.currentThread
    val again = new Thread(() => {
      endless.interrupted.await()
      caller.interrupt()
    })
    again.start()
    intercept[IOException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      throw new IOException("damaged")
    })
    assert(endless.isOver.get && Thread.interrupted())
  }

  test("an interrupt that the caller's part overlooks is kept for those who called.") {
    val endless = new Endless
    intercept[IOException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      Thread.currentThread.interrupt()
      throw new IOException("closed by interrupt")
    })
    assert(endless.isOver.get && Thread.interrupted())
  }
}
