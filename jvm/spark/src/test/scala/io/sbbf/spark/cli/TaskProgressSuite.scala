package io.sbbf.spark.cli

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.Eventually
import org.scalatest.time.SpanSugar._

import io.sbbf.spark.append.AddFiltersJob.ProgressListener
import io.sbbf.spark.testing.SparkSuite

class TaskProgressSuite extends SparkSuite with Eventually {

  test("the tasks of all stages of a job are counted as they end.") {
    val seen = new ConcurrentLinkedQueue[(Long, Long)]
    val progress = new TaskProgress(new ProgressListener {
      override def onProgress(done: Long, all: Long): Unit = seen.add((done, all)): Unit
      override def isCancelled: Boolean = false
    })
    val context = spark.sparkContext
    context.addSparkListener(progress)
    try {
      context.parallelize(1 to 6, 3).map(n => n % 2 -> n).groupByKey(2).count()
      context.parallelize(1 to 4, 4).count()
      eventually(timeout(20.seconds))(assert(seen.size == 9))
    } finally context.removeSparkListener(progress)
    assert(seen.asScala.toSeq == (1L to 5L).map(_ -> 5L) ++ (6L to 9L).map(_ -> 9L))
  }
}
