package io.sbbf.parquet.append

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean

import org.scalatest.funsuite.AnyFunSuite

/** Tests that the background thread always ends before the caller continues. */
class ConcurrentlySuite extends AnyFunSuite {

  /** Work that ends only after an interrupt, and not immediately. */
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

  test("both parts run at the same time, and the background result is returned.") {
    val foreground, background = new CountDownLatch(1)
    val result = Concurrently.runWithBackground { () =>
      background.countDown()
      foreground.await()
      7
    } {
      background.await()
      foreground.countDown()
    }
    assert(result == 7)
  }

  test("an error of the background thread is thrown unchanged.") {
    val error = new IOException("full")
    assert(intercept[IOException](Concurrently.runWithBackground(() => throw error)(())) eq error)
  }

  test("an error of the caller's part interrupts the other part and waits for its end.") {
    val endless = new Endless
    val error = new IOException("damaged")
    val thrown = intercept[IOException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      throw error
    })
    assert((thrown eq error) && endless.isOver.get)
  }

  test("an interrupt of the caller interrupts the other part.") {
    val endless = new Endless
    val caller = Thread.currentThread
    intercept[InterruptedException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      caller.interrupt()
    })
    assert(endless.isOver.get && !Thread.interrupted())
  }

  test("an interrupt during the wait for the other part does not end the wait.") {
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

  test("an interrupt that the caller's part ignores stays set for its callers.") {
    val endless = new Endless
    intercept[IOException](Concurrently.runWithBackground(() => endless.run()) {
      endless.begun.await()
      Thread.currentThread.interrupt()
      throw new IOException("closed by interrupt")
    })
    assert(endless.isOver.get && Thread.interrupted())
  }
}
