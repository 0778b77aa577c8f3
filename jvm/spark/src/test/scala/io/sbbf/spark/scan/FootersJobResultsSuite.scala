package io.sbbf.spark.scan

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobEnd}

import io.sbbf.spark.util.SbbfConf

/** What a job receives of its tasks, and how much they may return. */
class FootersJobResultsSuite extends FootersJobTables {
  import FootersJobTables._

  test("running tasks count as done, as tasks that run together also end together.") {
    var judged = Seq.empty[Int]
    gate = new Gate(1)
    atTask = files => if (files.head.path.getName != "0") gate.pass()
    try
      limits(
        600,
        done => {
          judged :+= done
          if (done > 0) gate.released.countDown()
          false
        })(_ => ())
    finally atTask = _ => ()
    // 8 tasks of 75 files, two at once
    assert(judged.find(_ > 0).contains(75 + 2 * 75) && judged.last <= 600)
  }

  test("a job is judged when all results that have arrived are received.") {
    val (context, ended) = (spark.sparkContext, new CountDownLatch(1))
    val listener = new SparkListener {
      override def onJobEnd(job: SparkListenerJobEnd): Unit = ended.countDown()
    }
    context.addSparkListener(listener)
    val judged = ArrayBuffer.empty[Int]
    try
      limits(600, done => { judged += done; false }) { _ =>
        ended.await(60, TimeUnit.SECONDS)
        context.parallelize(Seq(1), 1).count() // the last result arrives before this one
      }
    finally context.removeSparkListener(listener)
    assert(judged.forall(Set(0, 600)))
  }

  test("the results of jobs at the same time share one limit of bytes.") {
    var within = Set.empty[Long]
    val first = limits(600)(_ => if (within.isEmpty) within = limits(600)(_ => ()))
    assert(within == Set(0L) && first.size == 1 && first.head > 0)
    assert(limits(600)(_ => ()) == first)
  }

  test("a task has at least 16 files, if there are so many, and reads them by few threads.") {
    val sizes = ArrayBuffer.empty[Int]
    limits(40)(sizes += _)
    assert(sizes.sorted == Seq(8, 16, 16))
    val threads = ConcurrentHashMap.newKeySet[String]
    withConf(SbbfConf.Threads.key -> "1") {
      opening { _ => threads.add(Thread.currentThread.getName); false }(pruning(read(key(30))))
    }
    assert(!threads.isEmpty && threads.stream.noneMatch(_.startsWith("sbbf-planning")))
  }
}
