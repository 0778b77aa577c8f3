package io.sbbf.spark.scan

import java.util.Properties
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.Random

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.TaskReads
import io.sbbf.parquet.testing.{Faults, TestFiles}
import io.sbbf.spark.files.FootersJob
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.testing.Logged
import io.sbbf.spark.util.SbbfConf

/** Reads the files of cold scans as Spark jobs. */
class FootersJobSuite extends FootersJobTables {
  import FootersJobTables._

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
      .readTree(PruneReport.of(read(key(30)).queryExecution).json)
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
