package io.sbbf.spark.scan

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.{Failure, Success, Try}

import org.apache.logging.log4j.Level

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.{ScanPruning, TaskReads}
import io.sbbf.spark.files.FootersJob
import io.sbbf.spark.testing.Logged
import io.sbbf.spark.util.SbbfConf

/** The driver reads what jobs that fail, wait or take too long do not, and a cancelled query ends. */
class FootersJobFaultsSuite extends FootersJobTables {
  import FootersJobTables._

  test("the driver reads files that tasks cannot open.") {
    opening(_.getName.startsWith("part-0001")) {
      val found = pruning(read(key(30))).get
      assert(found.keptFiles == 1 && found.keptRowGroups == 1)
      val refused = found.tasks.missed
      assert(refused > 0 && refused <= 10)
      assert(found.tasks.files == NumFiles - SampleFiles - refused)
      assert(rows(read(key(1500))).size == 1)
    }
  }

  test("a failed job is logged without values, and the driver reads the files, also later on.") {
    val (found, log) =
      try
        Logged.during(Level.WARN)(quietly(opening(_ => throw new TaskKilled)(Seq(30, 1500).map {
          id =>
            FooterCache.shared.clear()
            val found = pruning(read(key(id))).get
            assert(rows(read(key(id))).size == 1)
            found
        })))
      finally FootersJob.forgetFailure()
    assert(found.forall(_.keptFiles == 1))
    assert(found.head.tasks.files < NumFiles - SampleFiles)
    assert(found.head.tasks.files + found.head.tasks.missed == NumFiles - SampleFiles)
    assert(found.last.tasks == TaskReads.Nothing)
    assert(log.count(_.contains("a job that reads footers on executors failed")) == 1)
    assert(!log.exists(_.contains(xxhash(30).toString)))
    assert(cold(key(30)).tasks.files == NumFiles - SampleFiles)
  }

  /**
   * Runs a cold query whose tasks wait, and `cancel` meanwhile. Returns the query's result, when its
   * tasks have ended.
   */
  private def blocked(cancel: Thread => Unit): Try[ScanPruning] = {
    val (begun, released) = (new CountDownLatch(1), new CountDownLatch(1))
    @volatile var result: Try[ScanPruning] = null
    @volatile var isLate = false
    val waiting = new AtomicInteger
    def waits(): Unit = {
      waiting.incrementAndGet()
      begun.countDown()
      try if (!released.await(60, TimeUnit.SECONDS)) isLate = true
      finally waiting.decrementAndGet()
    }
    opening { _ => waits(); false } {
      val query = read(key(30))
      val thread = new Thread(() => {
        spark.sparkContext.setJobGroup("blocked", "blocked")
        result =
          try Success(pruning(query).get)
          catch { case e: Throwable => Failure(e) }
      })
      thread.start()
      assert(begun.await(60, TimeUnit.SECONDS))
      quietly(cancel(thread))
      thread.join(60000)
      while (waiting.get > 0) Thread.sleep(10)
      released.countDown()
    }
    assert(!isLate)
    result
  }

  test("a query whose jobs are cancelled, or whose thread is interrupted, ends with its job.") {
    val cancels =
      Seq[Thread => Unit](_ => spark.sparkContext.cancelJobGroup("blocked"), _.interrupt())
    for (cancel <- cancels) {
      val failure = blocked(cancel).failed.get
      assert(failure.isInstanceOf[InterruptedException])
      assert((failure.getCause != null) == (cancel eq cancels.head))
      val tracker = spark.sparkContext.statusTracker
      while (tracker.getActiveJobIds().nonEmpty) Thread.sleep(10)
    }
    assert(cold(key(30)).keptFiles == 1)
  }

  test("a job that would take too long is cancelled, and the driver goes on.") {
    withConf(SbbfConf.PlanningSeconds.key -> "1") {
      val found = opening { _ => Thread.sleep(300); false }(pruning(read(key(30))).get)
      assert(found.tasks.missed > 0 && rows(read(key(30))).size == 1)
    }
  }

  test("a job whose tasks cannot start is cancelled, and the driver reads the files.") {
    table
    FooterCache.shared.clear()
    val condition = key(30) // which runs a job
    gate = new Gate(2)
    atTask = _ => gate.pass()
    val other = new Thread(() => { limits(40)(_ => ()); () })
    other.start()
    try {
      assert(gate.begun.await(60, TimeUnit.SECONDS))
      val found =
        withConf(SbbfConf.PlanningSeconds.key -> "0")(quietly(pruning(read(condition)).get))
      assert(found.tasks == TaskReads(0, NumFiles - SampleFiles) && found.keptFiles == 1)
      // the next scans do not wait for it again
      assert(cold(condition).tasks == TaskReads.Nothing)
    } finally {
      FootersJob.forgetFailure()
      atTask = _ => ()
      gate.released.countDown()
      other.join()
    }
  }
}
