package io.sbbf.spark.scan

import java.io.File
import java.util.Properties
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.control.ControlThrowable
import scala.util.{Failure, Random, Success, Try}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobEnd, SparkListenerJobStart}
import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.pass.FileTasks
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.{ScanPruning, TaskReads}
import io.sbbf.parquet.testing.{Faults, TestFiles}
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.testing.{Logged, SparkSuite}
import io.sbbf.spark.util.SbbfConf

/** Reads the files of cold scans as Spark jobs. */
class FootersJobSuite extends SparkSuite {
  import FootersJobSuite._

  override protected def settings: Map[String, String] = SparkSuite.Interpreted ++ Map(
    FootersJob.InLocalMode -> "true",
    SbbfConf.DistributedFiles.key -> "10",
    SbbfConf.SampleFiles.key -> SampleFiles.toString)

  private lazy val table: String = {
    val rows = spark
      .range(0, NumFiles * 100L, 1, NumFiles)
      .selectExpr("id", "xxhash64(id) AS k", "IF(id % 9 = 0, NULL, id % 700) AS few")
    saved("many", rows, filterOptions(Seq("k"), ndv = 100))
    // modified long ago, so that the cache may return their evidence
    new File(path("many")).listFiles.foreach(_.setLastModified(1000000L))
    faulty("many")
  }

  private def read(condition: String): DataFrame =
    spark.read.schema("id bigint, k bigint, few bigint").parquet(table).where(condition)

  private def key(id: Int): String = s"k = ${xxhash(id)}"
  private def xxhash(id: Int): Long =
    spark.range(id.toLong, id + 1L).selectExpr("xxhash64(id)").head().getLong(0)

  /** Returns what planning does to a query, with an empty cache. */
  private def cold(condition: String): ScanPruning = {
    table
    FooterCache.shared.clear()
    pruning(read(condition)).get
  }

  private def isInTask: Boolean =
    Thread.currentThread.getStackTrace.exists(_.getClassName.contains("PruneTask"))

  /** Runs `body` while the store does `inTask` whenever a task opens a file. */
  private def opening[T](inTask: Path => Boolean)(body: => T): T = {
    table
    FooterCache.shared.clear()
    Faults.during(new Faults { refuses = (p: Path) => isInTask && inTask(p) })(body)
  }

  /** Returns the properties of the jobs that `body` starts. */
  private def jobsOf(body: => Unit): Seq[Properties] = {
    val (started, context) = (new ConcurrentLinkedQueue[Properties], spark.sparkContext)
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = started.add(job.properties)
    }
    context.addSparkListener(listener)
    try {
      body
      val end = s"end ${Random.nextInt()}"
      context.setJobDescription(end)
      context.parallelize(Seq(1), 1).count()
      context.setJobDescription(null)
      def isEnd(of: Properties) = of.getProperty(Description) == end
      while (!started.toArray(Array.empty[Properties]).exists(isEnd)) Thread.sleep(10)
      started.toArray(Array.empty[Properties]).toSeq.filterNot(isEnd)
    } finally context.removeSparkListener(listener)
  }

  private def quietly[T](body: => T): T = {
    Configurator.setLevel("org.apache.spark", Level.OFF)
    try body
    finally Configurator.setLevel("org.apache.spark", Level.ERROR)
  }

  test("rows equal the oracle's, and survivors those of a pass without a job.") {
    val seed = TestFiles.seed()
    val random = new Random(seed)
    def part(kind: Int) = kind match {
      case 0 => key(random.nextInt(NumFiles * 120))
      case 1 => s"id IN (${Seq.fill(3)(random.nextInt(NumFiles * 120)).mkString(", ")})"
      case 2 => s"few = ${random.nextInt(800)}"
      case _ => s"(${key(random.nextInt(NumFiles * 120))} OR few < ${random.nextInt(3)})"
    }
    for (_ <- 1 to 20) {
      // two tests of the same kind may contradict each other, which leaves no scan
      val kinds = random.shuffle(Seq(0, 1, 2, 3)).take(1 + random.nextInt(2))
      val condition = kinds.map(part).mkString(" AND ")
      withConf(SbbfConf.CacheBytes.key -> Seq("0", "20k", "64m")(random.nextInt(3))) {
        val found = cold(condition)
        val alone = withConf(SbbfConf.DistributedFiles.key -> "0")(cold(condition))
        assert(found.keptIndices == alone.keptIndices, s"$condition, seed $seed")
        assert(found.keptRowGroups == alone.keptRowGroups && found.refutedBy == alone.refutedBy)
        assert(alone.tasks == TaskReads.Nothing)
        FooterCache.shared.clear()
        assert(rows(read(condition)) == oracle(read(condition)), s"$condition, seed $seed")
      }
    }
  }

  test("tasks open the files, and the driver those of the sample; a second query opens none.") {
    val (inTasks, onDriver) = (new ConcurrentLinkedQueue[Path], new ConcurrentLinkedQueue[Path])
    table
    FooterCache.shared.clear()
    Faults.during(new Faults {
      refuses = (p: Path) => { (if (isInTask) inTasks else onDriver).add(p); false }
    }) {
      val found = pruning(read(key(30))).get
      assert(onDriver.size == SampleFiles && inTasks.size == NumFiles - SampleFiles)
      assert(found.tasks == TaskReads(NumFiles - SampleFiles, 0))
      assert(found.filesOpened == NumFiles && found.keptFiles == 1)
      assert(found.summary.contains(s"; ${NumFiles - SampleFiles} files read by tasks"))
      val again = pruning(read(key(30))).get
      assert(again.filesOpened == 0 && again.tasks == TaskReads.Nothing && again.keptFiles == 1)
      assert(inTasks.size + onDriver.size == NumFiles)
    }
  }

  test("the report has the number of files that tasks have read.") {
    FooterCache.shared.clear()
    val scan = new ObjectMapper()
      .readTree(PruneReport.json(read(key(30)).queryExecution))
      .get("scans")
      .get(0)
    assert(scan.get("files_read_by_tasks").asInt == NumFiles - SampleFiles)
    assert(scan.get("files_missed_by_tasks").asInt == 0)
  }

  test("the job has a description without values, and the group and properties of the query.") {
    val condition = s"${key(30)} AND id <> 424242"
    val context = spark.sparkContext
    context.setJobGroup("lookups", "my lookup")
    context.setLocalProperty("mine", "yes")
    val (started, log) = Logged.during(Level.DEBUG)(jobsOf {
      cold(condition)
      assert(context.getLocalProperty(Description) == "my lookup")
    })
    context.clearJobGroup()
    context.setLocalProperty("mine", null)
    val job = started.find(_.getProperty(Description).startsWith("spark-sbbf")).get
    val description = s"spark-sbbf: reads footers of ${NumFiles - SampleFiles} files"
    assert(job.getProperty(Description) == description)
    assert(job.getProperty("spark.job.interruptOnCancel") == "true")
    assert(context.getLocalProperty("spark.job.interruptOnCancel") != "true")
    assert(job.getProperty("spark.jobGroup.id") == "lookups" && job.getProperty("mine") == "yes")
    val values = Seq("424242", xxhash(30).toString)
    assert(!values.exists(v => log.exists(_.contains(v))))
  }

  test("no job is run for few files, in a task, or if it is turned off.") {
    val off = jobsOf(withConf(SbbfConf.DistributedFiles.key -> "0")(cold(key(30))))
    val few = jobsOf(withConf(SbbfConf.DistributedFiles.key -> "57")(cold(key(30))))
    assert(!(off ++ few).exists(_.getProperty(Description, "").startsWith("spark-sbbf")))
    val job = new FootersJob(spark.sparkContext, new Configuration(false), 10, 1000)
    anyJob = job
    assert(job.canRead(10) && !job.canRead(9))
    assert(!spark.sparkContext.parallelize(Seq(1), 1).map(_ => anyJob.canRead(10)).collect().head)
  }

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
    } finally {
      atTask = _ => ()
      gate.released.countDown()
      other.join()
    }
  }

  /** Returns the limits of bytes of the tasks of a job, and calls `receive` for each of them. */
  private def limits(files: Int, isTooSlow: Int => Boolean = _ => false)(
      receive: Int => Unit): Set[Long] = {
    val job = new FootersJob(spark.sparkContext, new Configuration(false), 10, 1L << 30)
    val versions = (0 until files).map(i => FileVersion(new Path(s"file:/$i"), 1L, 1L))
    var limits = Set.empty[Long]
    job.run(versions, new Limits, isTooSlow) { (_, results) =>
      limits ++= results
      receive(results.size)
    }
    limits
  }

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

  test("queries at the same time have the rows of each alone.") {
    table
    FooterCache.shared.clear()
    implicit val pool: ExecutionContext = ExecutionContext.global
    val found = Future.sequence((0 until 6).map { n =>
      Future((n, pruning(read(key(n % 3 * 1000))).get))
    })
    assert(Await.result(found, Duration("2 min")).forall { case (_, f) =>
      f.keptFiles == 1 && f.keptRowGroups == 1
    })
  }

  test("a stopped context runs no job.") {
    val context = spark.sparkContext
    val job = new FootersJob(context, new Configuration(false), 10, 1000)
    assert(job.canRead(10))
    spark.stop()
    assert(!job.canRead(10))
  }
}

object FootersJobSuite {
  private val NumFiles = 60
  private val SampleFiles = 4
  private val Description = "spark.job.description"

  /** Not an error that pruning survives, so it fails the task. */
  private final class TaskKilled extends ControlThrowable

  /** For tasks, which run in this JVM. */
  @volatile private var anyJob: FootersJob = _
  @volatile private var gate: Gate = _
  @volatile private var atTask = (_: IndexedSeq[FileVersion]) => ()

  /** Counts threads that begin to wait. */
  private final class Gate(threads: Int) {
    val begun = new CountDownLatch(threads)
    val released = new CountDownLatch(1)
    def pass(): Unit = { begun.countDown(); released.await(60, TimeUnit.SECONDS); () }
  }

  /** Returns the limit of bytes of the task, for each file. */
  private final class Limits extends FileTasks.Work[Long] {
    override def apply(
        files: IndexedSeq[FileVersion],
        conf: Configuration,
        maxBytes: Long): IndexedSeq[Long] = {
      atTask(files)
      files.map(_ => maxBytes)
    }
  }
}
