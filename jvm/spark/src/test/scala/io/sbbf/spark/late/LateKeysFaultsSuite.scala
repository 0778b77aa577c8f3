package io.sbbf.spark.late

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.FileStorage
import io.sbbf.parquet.testing.Faults
import io.sbbf.spark.pushdown.{PlannedScan, PushdownLevel}
import io.sbbf.spark.testing.Logged

/** Queries that fail, are cancelled, or meet files without access while late keys prune them. */
class LateKeysFaultsSuite extends LateKeysTables {
  import LateKeysFaultsSuite._

  /** Returns the classes of an error and of its causes. */
  private def classes(error: Throwable): Seq[String] = causes(error).map(_.getClass.getName)

  private def causes(error: Throwable): Seq[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq

  private def failure(text: String): Throwable = intercept[Exception](rows(query(text)))

  private def failsAsSparkAlone(text: String): Throwable = {
    val (error, messages) = Logged.during(Level.WARN)(failure(text))
    val expected = withConf("spark.sbbf.enabled" -> "false")(failure(text))
    assert(classes(error) == classes(expected))
    assert(!messages.exists(_.contains("PruneByLateKeys")), messages)
    error
  }

  test("a subquery that fails, fails as without the extension.") {
    val error = failsAsSparkAlone("SELECT * FROM log WHERE k = (SELECT k FROM few)")
    assert(error.getMessage.toLowerCase.contains("one row"))
  }

  test("a side of a join that fails, fails as without the extension.") {
    spark.udf.register("failing", raise _)
    val good = "JOIN none ON log.i = none.i"
    for {
      key <- Seq("failing(k)", "CAST(raise_error('x') AS BIGINT)")
      side = s"(SELECT $key AS key FROM few)"
      text <- Seq(
        s"SELECT log.id FROM log JOIN $side ON k = key",
        s"SELECT log.id FROM log $good JOIN $side ON log.k = key",
        s"SELECT log.id FROM log JOIN $side ON log.k = key $good",
        s"SELECT id FROM log WHERE k IN (SELECT key FROM $side)"
      )
    } withClue(text)(failsAsSparkAlone(text))
  }

  /** Runs a query in a thread until `stop` ends it. Returns its error. */
  private def errorOf(df: DataFrame)(stop: Thread => Unit): Throwable = {
    @volatile var error: Throwable = null
    val thread = new Thread(() =>
      try {
        spark.sparkContext.setJobGroup(Group, "", interruptOnCancel = true)
        df.collect()
      } catch { case e: Throwable => error = e })
    thread.start()
    stop(thread)
    thread.join(Patience)
    assert(!thread.isAlive && error != null)
    error
  }

  private def awaitStart(latch: CountDownLatch): Unit =
    assert(latch.await(Patience, TimeUnit.MILLISECONDS))

  /** Returns a query whose fact is on the file system with faults, planned without a fault. */
  private def planned(text: String): DataFrame = {
    query("SELECT 1")
    spark.read.parquet(faulty("log")).createOrReplaceTempView("remote")
    FooterCache.shared.clear()
    val df = query(text)
    df.queryExecution.executedPlan
    FooterCache.shared.clear()
    df
  }

  test("a query that is interrupted while its keys are evaluated ends at once.") {
    val text = "SELECT remote.id FROM remote JOIN few USING (k)"
    val df = planned(text)
    val started = new CountDownLatch(1)
    val slow = new Faults {
      refuses = (_: Path) => { if (isPlanning) block(started); false }
    }
    val error = Faults.during(slow)(errorOf(df) { thread =>
      awaitStart(started)
      thread.interrupt()
    })
    assert(classes(error).contains(classOf[InterruptedException].getName))
    val next = query(text)
    assert(rows(next) == oracle(query(text)) && lateKeys(next) == Seq(3))
  }

  test("a query that is cancelled while a subquery runs ends at once.") {
    spark.udf.register("sleeping", sleep _)
    running = new CountDownLatch(1)
    val df = query("SELECT id FROM log WHERE k = (SELECT max(sleeping(k)) FROM few)")
    val error = errorOf(df) { _ =>
      awaitStart(running)
      spark.sparkContext.cancelJobGroup(Group)
    }
    assert(causes(error).exists(_.getMessage.contains("cancelled")))
    val text = "SELECT id FROM log WHERE k = (SELECT max(k) FROM few)"
    val next = query(text)
    assert(rows(next) == oracle(query(text)) && filesRead(next) == Seq(1))
  }

  test("a query that is cancelled while the keys of a shuffle are read ends at once.") {
    spark.udf.register("slow", slow _)
    running = new CountDownLatch(1)
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val df = query("SELECT log.id FROM log JOIN few ON log.k = slow(few.k)")
      val error = errorOf(df) { _ =>
        awaitStart(running)
        spark.sparkContext.cancelJobGroup(Group)
      }
      assert(causes(error).exists(_.getMessage.contains("cancelled")))
    }
  }

  /** Returns the number that Spark gave a file when it wrote the table. */
  private def numberOf(file: String): Int = file.split("part-").last.take(5).toInt

  test("a file that only the late pass could not read gets no predicates of parquet-mr.") {
    withConf("spark.sbbf.planning.sampleFiles" -> "1") {
      val listed = prunings(planned("SELECT id FROM remote WHERE m < 7")).head.inputFiles
      // the sample is the file in the middle: it holds no key, and shows no benefit for `m`
      val sampled = numberOf(listed(Files / 2))
      val holding = Seq(1, 2).map(n => (sampled + n) % Files)
      val ids = holding.map(_ * 500 + 10)
      val side = s"(SELECT k FROM log WHERE id IN (${ids.mkString(", ")}))"
      val df = planned(s"SELECT remote.id FROM remote JOIN $side USING (k) WHERE m < 7")
      val before = prunings(df).head
      assert(before.stoppedEarly)
      assert(before.outcomes.count(_.storage == FileStorage.Unread) == Files - 1)
      val refused = new Faults {
        refuses = (p: Path) => isPlanning && numberOf(p.getName) == holding.head
      }
      assert(Faults.during(refused)(rows(df)) == ids.map(id => s"[$id]").sorted)
      val found = lateIndexes(df).head.selection.get
      val (unreadable, others) =
        found.outcomes.partition(_.storage == FileStorage.Unreadable)
      val levelOf = PlannedScan.levels(found)
      assert(unreadable.map(levelOf) == Seq(PushdownLevel.Nothing) && found.keptFiles == 2)
      assert(!others.map(levelOf).contains(PushdownLevel.Nothing))
    }
  }
}

private object LateKeysFaultsSuite {
  private final val Group = "late keys"

  /** The maximum number of milliseconds for one step, less than `SleepMillis`. */
  private final val Patience = 20000L
  private final val SleepMillis = 120000L

  /** Counts down when a subquery's task has started. */
  @volatile private var running = new CountDownLatch(1)

  private def block(started: CountDownLatch): Unit = {
    started.countDown()
    Thread.sleep(SleepMillis)
  }

  private def isPlanning: Boolean = TaskContext.get() == null

  private def sleep(key: Long): Long = {
    block(running)
    key
  }

  /** Sleeps unless a shuffle is written. */
  private def slow(key: Long): Long = {
    val isResult =
      Thread.currentThread.getStackTrace.exists(_.getClassName.endsWith("ResultTask"))
    if (isResult) sleep(key) else key
  }

  private def raise(key: Long): Long = throw new IllegalStateException(s"no key $key")
}
